"""E-mail: headers, body, and what is attached."""
