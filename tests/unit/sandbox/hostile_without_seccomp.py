"""The hostile jobs on a kernel that has no seccomp."""

from sanbo.sandbox import seccomp
from tests.unit.sandbox.hostile import perform

seccomp.is_known_here = lambda: False

__all__ = ["perform"]
