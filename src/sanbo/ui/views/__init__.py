"""The pages and how they lead to each other."""
