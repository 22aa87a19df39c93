"""The extract/word room."""
