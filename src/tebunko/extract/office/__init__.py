"""LibreOffice as the reader of last resort: it turns what the readers here refuse into OOXML, which they then read.

Three processes: the worker, a small helper under a Python that knows LibreOffice's interface (`helper`), and LibreOffice.
Each ends when the one before it ends. Nothing here is imported or started before a file needs it.
"""
