"""What a person is asked, and what an answer does."""
