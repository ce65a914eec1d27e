"""One module a format: `read(source)` gives a `Document`."""
