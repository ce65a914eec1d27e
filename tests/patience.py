"""How long tests wait for what must come."""

PATIENCE_SECONDS = 300
"""More than anything here takes on a busy machine: only a test that fails waits for so long."""
