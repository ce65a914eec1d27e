"""The hostile jobs on a kernel that has no Landlock."""

from sanbo.sandbox import guards
from tests.unit.sandbox.hostile import perform

guards.landlock_abi = lambda: 0

__all__ = ["perform"]
