"""The hostile jobs on a kernel that has no seccomp."""

from sanbo.agents.analysis.sandbox import seccomp
from tests.unit.agents.analysis.sandbox.hostile import perform

seccomp.is_known_here = lambda: False

__all__ = ["perform"]
