"""The extract/powerpoint room."""
