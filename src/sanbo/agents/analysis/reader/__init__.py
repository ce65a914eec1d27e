"""A small network that reads questions about tables: what was learnt from thousands of them."""
