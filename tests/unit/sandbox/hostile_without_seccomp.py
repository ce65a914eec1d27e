"""The hostile jobs on a kernel that has no seccomp."""

from sanbo.sandbox import guards
from tests.unit.sandbox.hostile import perform

guards.is_known_here = lambda: False

__all__ = ["perform"]
