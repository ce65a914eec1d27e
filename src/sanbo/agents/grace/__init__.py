"""GRACE: plans, works step by step, knows how sure it is, and asks where it is not."""
