"""Procedures written once as YAML: checked, dry-run, and run with people in the loop."""
