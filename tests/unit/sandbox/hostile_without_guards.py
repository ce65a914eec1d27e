"""The hostile jobs on a kernel that has neither Landlock nor seccomp."""

from tests.unit.sandbox import hostile_without_landlock, hostile_without_seccomp
from tests.unit.sandbox.hostile import perform

__all__ = ["hostile_without_landlock", "hostile_without_seccomp", "perform"]
