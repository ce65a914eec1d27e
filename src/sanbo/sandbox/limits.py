"""How much one action may take."""

from dataclasses import dataclass

GIBIBYTE = 1 << 30


@dataclass(frozen=True)
class Limits:
    seconds: float = 30
    memory_bytes: int = GIBIBYTE
    """Beyond what the process has when it starts, and beyond its inputs."""
    output_bytes: int = GIBIBYTE
    report_bytes: int = 64 << 20


DEFAULT = Limits()
