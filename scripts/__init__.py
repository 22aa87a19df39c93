"""What the Makefile runs: setting up, the demonstration, catalogues, pictures. Nothing of it is installed."""
