"""The product's regular expressions, and the texts that would make one of them slow."""
