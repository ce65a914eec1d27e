"""Counts of research, as people read them."""

from sanbo.kernel.messages import tell


def counted(what: str, count: int) -> str:
    """`1 citation`, `12 citations`; Japanese says both alike."""
    number = "one" if count == 1 else "many"
    return tell(f"ui.research.counted.{what}.{number}", count=f"{count:,}")
