"""Collections: indexed sets of documents, and finding things in them."""
