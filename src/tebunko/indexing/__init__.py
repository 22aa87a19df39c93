"""The indexing room."""
