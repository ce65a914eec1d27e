"""Shares, counts and levels of GRACE, as people read them."""

from sanbo.agents.grace.schemas import Level
from sanbo.kernel.messages import tell
from sanbo.ui.presentation import Look

_LEVELS: dict[Level, tuple[str, str]] = {
    "silent": (":material/check_circle:", "green"),
    "notify": (":material/info:", "blue"),
    "confirm": (":material/front_hand:", "orange"),
    "escalate": (":material/contact_support:", "red"),
}


def percent(share: float) -> str:
    return f"{share:.0%}"


def threshold_of(value: float) -> str:
    """Without zeros that say nothing: 90%, 91.5%."""
    return f"{100 * value:.1f}".removesuffix(".0") + "%"


def counted(what: str, count: int) -> str:
    """`1 source`, `12 sources`; Japanese says both alike."""
    number = "one" if count == 1 else "many"
    return tell(f"ui.grace.counted.{what}.{number}", count=f"{count:,}")


def level_word(level: Level) -> str:
    return tell(f"ui.grace.level.{level}")


def look_of_level(level: Level) -> Look:
    icon, colour = _LEVELS[level]
    return Look(icon, colour, level_word(level))  # pyright: ignore[reportArgumentType]


def action_word(action: str) -> str:
    return tell(f"ui.grace.action.{action}")
