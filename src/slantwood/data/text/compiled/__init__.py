"""Scanners of text in compiled code: bytes to numbers, codes of texts, and pairs of index and value."""
