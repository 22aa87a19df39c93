"""The extract room."""
