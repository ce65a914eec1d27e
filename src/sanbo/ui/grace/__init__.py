"""What the page of GRACE is made of: conversation, plan at work, dialog, answer and score."""
