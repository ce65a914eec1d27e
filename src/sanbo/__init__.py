"""Sanbo (参謀): a workbench of auditable business agents."""

import os

# Matrices here are small. Several threads for one wait for each other by turning: beside any other
# work a question that takes a twentieth of a second took five.
for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

__version__ = "0.1.0"
