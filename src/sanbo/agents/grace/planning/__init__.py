"""From a question to a plan, and from a plan that failed to a better one."""
