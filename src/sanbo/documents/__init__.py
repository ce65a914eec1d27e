"""Documents: whatever an office has, read into one model with its source positions."""
