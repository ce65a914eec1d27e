"""Plans checked before they run: all findings at once, each with its place."""

from sanbo.plans.validating.validator import validate

__all__ = ["validate"]
