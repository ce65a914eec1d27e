"""What the pages of collections are made of: searching, documents, adding, deleting."""
