"""How an action's report begins: one byte, written last, that says what the rest is."""

# A process that ends early leaves none of them.
REPORT, PROBLEM, NO_MEMORY = b"R", b"P", b"M"
