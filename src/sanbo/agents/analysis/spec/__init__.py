"""The vocabulary of analysis: all that a thinker, model or rules, can ask to be done."""
