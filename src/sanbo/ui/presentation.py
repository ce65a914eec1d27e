"""How things look: statuses, icons, words, times of the browser's clock."""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from sanbo.kernel.messages import current_language, tell
from sanbo.runs.model import Engine, JsonObject, Path, Run, Status, Step, is_iteration

Colour = Literal["red", "orange", "blue", "green", "gray"]


class Look(NamedTuple):
    """Icon, colour and word together: never the colour alone."""

    icon: str
    colour: Colour
    word: str


_STATUS: dict[str, tuple[str, Colour]] = {
    "queued": (":material/schedule:", "gray"),
    "running": (":material/progress_activity:", "blue"),
    "waiting": (":material/front_hand:", "orange"),
    "succeeded": (":material/check_circle:", "green"),
    "failed": (":material/error:", "red"),
    "cancelled": (":material/cancel:", "gray"),
    "skipped": (":material/skip_next:", "gray"),
}


def look_of(status: Status | str) -> Look:
    icon, colour = _STATUS[str(status)]
    return Look(icon, colour, tell(f"ui.status.{status}"))


def duration(seconds: float) -> str:
    """`0.4秒`, `12秒`, `3分05秒`, `2時間07分`."""
    if seconds < 0:
        seconds = 0.0
    if seconds < 10:
        return tell("ui.duration.tenths", seconds=f"{seconds:.1f}")
    whole = int(seconds)
    if whole < 60:
        return tell("ui.duration.seconds", seconds=whole)
    if whole < 3600:
        return tell("ui.duration.minutes", minutes=whole // 60, seconds=f"{whole % 60:02d}")
    if whole < 86_400:
        return tell("ui.duration.hours", hours=whole // 3600, minutes=f"{whole % 3600 // 60:02d}")
    return tell("ui.duration.days", days=whole // 86_400, hours=whole % 86_400 // 3600)


def elapsed(run: Run, now: datetime) -> timedelta:
    """Until its end, or until now."""
    return (run.updated_at if run.status.is_final else now) - run.created_at


def step_seconds(step: Step, now: datetime) -> float | None:
    if step.duration_ms is not None:
        return step.duration_ms / 1000
    if step.status in ("running", "waiting"):
        return (now - step.started_at).total_seconds()
    return None


def size(count: int) -> str:
    if count < 1000:
        return tell("ui.size.bytes", count=count)
    for unit in ("KB", "MB", "GB"):
        count_in_unit = count / 1000
        if count_in_unit < 1000 or unit == "GB":
            return f"{count_in_unit:,.1f} {unit}"
        count //= 1000
    raise AssertionError(count)


def moment(time: datetime, zone: tzinfo, now: datetime) -> str:
    """Today's times without a date."""
    local = time.astimezone(zone)
    if local.date() == now.astimezone(zone).date():
        return tell("ui.time.today", time=f"{local:%H:%M}")
    if current_language() == "ja":
        return f"{local.year}年{local.month}月{local.day}日 {local:%H:%M}"
    return f"{local:%Y-%m-%d %H:%M}"


def turn_in(path: Path) -> str:
    """The number of the iteration that a path is in, of a loop in a loop both: `2-3`; or empty."""
    turns = [name for depth, name in enumerate(path, start=1) if is_iteration(path[:depth])]
    return "-".join(str(int(name[1:]) + 1) for name in turns)


def in_turn(title: str, path: Path) -> str:
    """A step's title; inside a loop with the number of the iteration."""
    turn = turn_in(path)
    return tell("ui.run.in_turn", title=title, turn=turn) if turn else title


def asked_in(given: JsonObject) -> str:
    """The question that a run was started with; empty where it takes none."""
    question = given.get("question")
    return question if isinstance(question, str) else ""


def engine_of(engine: Engine) -> str:
    if engine.provider == "rules":
        return tell("ui.engine.rules")
    host = engine.base_url_host
    place = (f"（{host}）" if current_language() == "ja" else f" ({host})") if host else ""
    return f"{engine.title}{place} {engine.model or ''}".rstrip()


def usage_of(run: Run) -> str:
    """Empty when no model was asked."""
    usage = run.usage
    if usage.calls == 0:
        return ""
    cost = (
        tell("ui.usage.cost_unknown")
        if usage.cost_usd is None
        else tell("ui.usage.cost", cost=f"{usage.cost_usd:.4f}")
    )
    return tell(
        "ui.usage.line",
        calls=usage.calls,
        tokens=f"{usage.input_tokens + usage.output_tokens:,}",
        cost=cost,
    )


def browser_zone() -> tzinfo:
    name = st.context.timezone
    try:
        return ZoneInfo(name) if name else _server_zone()
    except (ZoneInfoNotFoundError, ValueError):
        return _server_zone()


def _server_zone() -> tzinfo:
    return datetime.now(UTC).astimezone().tzinfo or UTC


def slot(*, filled: bool) -> DeltaGenerator:
    """One place: to draw into, or empty."""
    return st.container() if filled else st.empty()


def clear_rest(key: str, count: int) -> None:
    """After `count` lines were drawn: empties those that were there before."""
    most = max(count, int(st.session_state.get(key, 0)))
    st.session_state[key] = most
    for _ in range(most - count):
        st.empty()
