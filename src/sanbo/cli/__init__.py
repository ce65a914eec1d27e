"""The command line: shows runs, asks people, and leaves everything else to the service."""
