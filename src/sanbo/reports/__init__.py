"""A run's parts as a file to hand on: Word, Excel, a page to print, Markdown; of every workflow."""
