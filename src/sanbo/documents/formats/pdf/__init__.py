"""PDF: pdfium first, pdfminer for what it does not read, ruled tables as tables."""
