"""Which payments settle which invoices, and what differs."""
