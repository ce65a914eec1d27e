"""What the stretches of a question may be: columns, values, numbers, times, words."""
