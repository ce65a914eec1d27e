"""One module or folder a file format, each with its `FORMAT` record."""
