"""Growing trees: one in compiled code, many on threads. Nothing here knows the user's y."""
