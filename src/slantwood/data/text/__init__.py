"""How tables and pairs of index and value are read from text, fast, and written as text."""
