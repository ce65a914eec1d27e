"""What people's verdicts make of the score and its thresholds."""
