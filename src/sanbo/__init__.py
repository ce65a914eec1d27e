"""Sanbo (参謀): a workbench of auditable business agents."""

__version__ = "0.1.0"
