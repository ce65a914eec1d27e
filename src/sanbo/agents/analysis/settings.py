"""What an analysis keeps, and what one action on a table may take."""

from pydantic import Field

from sanbo.kernel.settings import Section


class AnalysisSettings(Section):
    persist: bool = False
    """Keep uploads, artifacts and states of analyses in the workspace; else only in memory."""
    model_wording: bool = False
    """A model words the conclusions, and every figure is checked; else code writes them."""
    memory_mb: int = Field(default=4096, ge=64)
    """For tables, results and files in memory; beyond it the oldest are forgotten."""
    action_seconds: float = Field(default=30, gt=0)
    """The limit of one action on a table."""
    action_memory_mb: int = Field(default=1024, ge=64)
    """The memory that one action may take."""
