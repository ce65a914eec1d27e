"""A score as a bar: how sure, at a glance."""

from rich.console import Console
from rich.text import Text

from sanbo.service.grace import Level
from sanbo.service.grace_written import filled_of

_STYLES: dict[Level, str] = {
    "silent": "green",
    "notify": "cyan",
    "confirm": "yellow",
    "escalate": "red",
}
BAR_WIDTH = 15
"""Of a bar of ten with its percent."""
_SMOOTH = ("█", "░")
_PLAIN = ("■", "□")  # every Japanese character set has them


def score_bar(console: Console, score: float, level: Level, width: int = 10) -> Text:
    """Filled as far as the score goes, then its percent; full for 100% alone."""
    full, empty = _letters(console)
    filled = filled_of(score, width)
    bar = Text(full * filled, style=_STYLES[level])
    bar.append(empty * (width - filled), style="dim")
    return bar.append(f" {score:>4.0%}", style=f"bold {_STYLES[level]}")


def _letters(console: Console) -> tuple[str, str]:
    try:
        "".join(_SMOOTH).encode(console.encoding)
    except UnicodeEncodeError:
        return _PLAIN
    return _SMOOTH
