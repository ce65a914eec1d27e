"""Office files (DOCX, XLSX, PPTX): their package, XML and drawings, for readers and writers."""
