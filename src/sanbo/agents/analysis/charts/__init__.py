"""Charts as PNG, each with its numbers and its words."""

from sanbo.agents.analysis.charts import seclusion  # before anything of Matplotlib

# isort: split
from sanbo.agents.analysis.charts.draw import draw, warm_up

__all__ = ["draw", "seclusion", "warm_up"]
