"""The HTTP interface: runs, events, interactions, artifacts and files under `/api/v1`."""
