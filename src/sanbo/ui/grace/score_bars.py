"""A score as a bar with its number and its level, in words."""

from html import escape

from sanbo.agents.grace.schemas import Confidence, Factor, Level, Penalty, ThresholdsUsed
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


def score_bar(score: float, level: Level) -> str:
    """The number stands beside the bar: nobody has to see the colour."""
    return (
        f'<span class="sanbo-score">{escape(tell("ui.grace.score"))} {_bar(score, level)}'
        f" {percent(score)}</span>"
    )


def level_badge(level: Level) -> str:
    return f'<span class="sanbo-level sanbo-level-{level}">{escape(level_word(level))}</span>'


def headline(score: float, level: Level) -> str:
    """Of an answer: its level, and how sure it is."""
    return (
        f'<div class="sanbo-sure">{level_badge(level)}'
        f'<span class="sanbo-score">{escape(tell("ui.grace.score"))} {_bar(score, level)}'
        f" <b>{percent(score)}</b></span></div>"
    )


def confidence_bar(confidence: Confidence | None) -> str:
    return "" if confidence is None else score_bar(confidence.score, confidence.level)


def _bar(share: float, level: Level) -> str:
    return (
        f'<span class="sanbo-bar sanbo-bar-{level}">'
        f'<span style="width: {_width(share)}%"></span></span>'
    )


def _width(share: float) -> int:
    return round(100 * max(0.0, min(1.0, share)))


# ---- why ----


def scale(score: float, thresholds: ThresholdsUsed) -> str:
    """The levels along a line from 0 to 100%, and where this score stands on it."""
    edges = (0.0, thresholds.confirm, thresholds.notify, thresholds.silent, 1.0)
    levels: tuple[Level, ...] = ("escalate", "confirm", "notify", "silent")
    zones = "".join(
        f'<span class="sanbo-zone sanbo-level-{level}" style="width: {100 * (high - low):.2f}%">'
        "</span>"
        for level, low, high in zip(levels, edges, edges[1:], strict=False)
    )
    at = f"{100 * max(0.0, min(1.0, score)):.1f}"
    legend = "".join(
        f"<span>{level_badge(level)} {escape(_range(low, high))}</span>"
        for level, low, high in zip(levels, edges, edges[1:], strict=False)
    )
    return (
        f'<div class="sanbo-scale"><div class="sanbo-zones" aria-hidden="true">{zones}'
        f'<i style="left: {at}%"></i></div><div class="sanbo-legend">{legend}</div></div>'
    )


def _range(low: float, high: float) -> str:
    if low <= 0:
        return tell("ui.grace.why.below", high=percent(high))
    return tell("ui.grace.why.from", low=percent(low))


def factor_rows(factors: tuple[Factor, ...], penalties: tuple[Penalty, ...]) -> str:
    """What spoke for and against the answer, the strongest first; then what was taken off."""
    most = max((abs(factor.effect) for factor in factors), default=0.0)
    ordered = sorted(factors, key=lambda factor: -abs(factor.effect))
    rows = [_factor(factor, most) for factor in ordered]
    rows += [_penalty(penalty) for penalty in penalties]
    return f'<ul class="sanbo-factors">{"".join(rows)}</ul>' if rows else ""


def _factor(factor: Factor, most: float) -> str:
    share = abs(factor.effect) / most if most > 0 else 0.0
    way = "none" if share < 0.02 else "up" if factor.effect > 0 else "down"
    told = tell(f"ui.grace.why.effect.{way}")
    return (
        f"<li><span>{escape(factor.told)}</span>"
        f'<span class="sanbo-effect"><span class="sanbo-sides">'
        f'<span class="sanbo-side-{way}" style="width: {_width(share) / 2:.1f}%"></span></span>'
        f" {escape(told)}</span></li>"
    )


def _penalty(penalty: Penalty) -> str:
    told = tell("ui.grace.why.taken_off", amount=f"{100 * abs(penalty.amount):.0f}")
    return (
        f'<li class="sanbo-penalty"><span>{escape(penalty.told)}</span>'
        f'<span class="sanbo-effect">{escape(told)}</span></li>'
    )
