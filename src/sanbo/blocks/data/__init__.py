"""What is known of data besides its values: its quality, its shape, where it came from."""
