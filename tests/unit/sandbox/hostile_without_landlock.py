"""The hostile jobs on a kernel that has no Landlock."""

from sanbo.sandbox import landlock
from tests.unit.sandbox.hostile import perform

landlock.landlock_abi = lambda: 0

__all__ = ["perform"]
