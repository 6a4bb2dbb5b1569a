"""Trees for people to read: conditions and leaves in words and in the user's units, as text and as graphs."""
