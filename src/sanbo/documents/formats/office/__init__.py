"""What Word and PowerPoint files have in common: the package, its XML and drawings."""
