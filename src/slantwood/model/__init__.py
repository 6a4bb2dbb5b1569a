"""Fitted trees as flat arrays: routing rows through them and averaging what their leaves say."""
