"""The extract/excel room."""
