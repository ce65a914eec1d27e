"""What the page of analyses is made of: the table, the conversation, its answers."""
