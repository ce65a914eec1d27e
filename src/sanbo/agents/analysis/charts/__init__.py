"""Charts as data, in Vega-Lite. Each module here that has a `KIND` is a kind of chart.

Nothing heavy is imported: the numbers come from the sandbox, pictures are made when asked for.
"""

import pkgutil
from collections.abc import Mapping
from importlib import import_module

from sanbo.agents.analysis.charts.kind import ChartKind


def _found() -> dict[str, ChartKind]:
    modules = (import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__))
    kinds = (getattr(module, "KIND", None) for module in modules)
    return {kind.name: kind for kind in kinds if isinstance(kind, ChartKind)}


KINDS: Mapping[str, ChartKind] = _found()
"""By the word of their specs."""
