"""What `benchmarks/comparison.py` measures; a package, so that it goes before the script's name."""
