"""What lies on disk in a workspace; each file format has one module that reads and writes it."""
