"""The agents as blocks of a plan."""
