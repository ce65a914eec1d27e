"""A sandbox of processes: one action each, limited in time and memory, without network or files."""
