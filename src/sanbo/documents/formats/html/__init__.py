"""HTML, read in one pass and without fetching anything."""
