"""What was found, what is said of it with its sources, and how it reads."""
