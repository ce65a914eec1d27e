"""What leaves with a person: tables as CSV, figures, and the recipe to do it again."""

REPORT = "report.md"
SPECS = "specs.json"
