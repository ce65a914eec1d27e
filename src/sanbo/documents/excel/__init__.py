"""Writing Excel workbooks: cells are changed in the package, everything else stays as it was."""
