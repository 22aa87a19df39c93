"""The extract/text room."""
