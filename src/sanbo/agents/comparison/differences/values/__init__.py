"""What a text promises in figures: dates, deadlines and periods, amounts and quantities."""
