"""The Excel blocks."""
