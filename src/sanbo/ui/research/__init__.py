"""What the page of researches is made of: the question, the work, the report and its sources."""
