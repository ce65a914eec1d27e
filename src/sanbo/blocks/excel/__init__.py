"""Blocks that read and write Excel workbooks."""
