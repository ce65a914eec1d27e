"""What the page of the calibration is made of: how true the scores are, thresholds, versions."""
