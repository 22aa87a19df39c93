"""The locale room."""
