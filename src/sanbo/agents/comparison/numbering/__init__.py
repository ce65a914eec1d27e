"""The numbers of articles, paragraphs and items: those a chunk bears, and those it refers to."""
