"""The workbench: everything a front end can do with runs, workflows, files and tokens."""
