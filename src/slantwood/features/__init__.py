"""The user's X to one float32 matrix. Nothing here knows what it will be used for."""
