"""What every layer may use: problems, settings, texts in two languages, secrets, matching form."""
