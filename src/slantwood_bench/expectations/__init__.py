"""What users type without thinking, row by row: each is tried, and works, works in part, or is absent."""
