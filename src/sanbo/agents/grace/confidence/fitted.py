"""The shipped numbers (`benchmarks/fit_confidence.py` makes them anew)."""

from importlib.resources import files

from sanbo.agents.grace.confidence.model import Fitted

FITTED = Fitted.model_validate_json(
    files(__package__ or "sanbo.agents.grace.confidence")
    .joinpath("coefficients.json")
    .read_text("utf-8")
)
