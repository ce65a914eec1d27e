"""How much one action may take, and how strong the guards around it are, as was found by trying."""

from dataclasses import dataclass
from typing import Literal

from sanbo.kernel.messages import Language, tell

GIBIBYTE = 1 << 30


@dataclass(frozen=True)
class Limits:
    seconds: float = 30
    memory_bytes: int = GIBIBYTE
    """Beyond what the process has when it starts, and beyond its inputs."""
    output_bytes: int = GIBIBYTE
    report_bytes: int = 64 << 20


DEFAULT = Limits()


Guard = Literal["landlock+seccomp", "seccomp", "landlock", "limits"]


@dataclass(frozen=True)
class Level:
    guard: Guard
    """What the kernel enforces; limits of time and memory are always in force."""
    landlock_abi: int = 0

    @property
    def is_full(self) -> bool:
        return self.guard == "landlock+seccomp"

    @property
    def has_landlock(self) -> bool:
        return "landlock" in self.guard

    @property
    def has_seccomp(self) -> bool:
        return "seccomp" in self.guard

    def text(self, language: Language | None = None) -> str:
        return tell(f"sandbox.level.{_TEXTS[self.guard]}", language, abi=self.landlock_abi)

    def hint(self, language: Language | None = None) -> str:
        """What could be done to make it stronger; empty where nothing is missing."""
        return "" if self.is_full else tell("sandbox.level.weak_hint", language)


_TEXTS: dict[Guard, str] = {
    "landlock+seccomp": "full",
    "seccomp": "seccomp",
    "landlock": "landlock",
    "limits": "limits",
}


def level_of(landlock_abi: int, has_seccomp: bool) -> Level:
    if landlock_abi:
        return Level("landlock+seccomp" if has_seccomp else "landlock", landlock_abi)
    return Level("seccomp" if has_seccomp else "limits")
