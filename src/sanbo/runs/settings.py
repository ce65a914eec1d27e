"""How many runs advance at once, and how long a lease holds."""

from pydantic import Field

from sanbo.kernel.settings import Section


class RunSettings(Section):
    max_concurrent: int = Field(default=64, ge=1)
    """Runs that advance at the same time in one process; others queue."""
    lease_seconds: float = Field(default=30, gt=0)
    """How long a process on another machine is trusted to be alive without a sign of life."""
