"""What a search gave, written to a file: text, CSV, a workbook, or a page; all in bounded memory."""
