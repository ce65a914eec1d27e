"""The workbench in the browser: pages over runs, one form for every question."""
