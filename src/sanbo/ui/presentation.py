"""How things look: statuses with icon, colour and word; sizes; the browser's clock."""

from datetime import UTC, datetime, tzinfo
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from sanbo.kernel.messages import tell

Colour = Literal["red", "orange", "blue", "green", "gray"]


class Look(NamedTuple):
    """Icon, colour and word together: never the colour alone."""

    icon: str
    colour: Colour
    word: str


_STATUS: dict[str, tuple[str, Colour]] = {
    "pending": (":material/radio_button_unchecked:", "gray"),
    "queued": (":material/schedule:", "gray"),
    "running": (":material/progress_activity:", "blue"),
    "waiting": (":material/front_hand:", "orange"),
    "succeeded": (":material/check_circle:", "green"),
    "failed": (":material/error:", "red"),
    "cancelled": (":material/cancel:", "gray"),
    "skipped": (":material/skip_next:", "gray"),
}


def look_of(status: str) -> Look:
    icon, colour = _STATUS[str(status)]
    return Look(icon, colour, tell(f"ui.status.{status}"))


def size(count: int) -> str:
    if count < 1000:
        return tell("ui.size.bytes", count=count)
    for unit in ("KB", "MB", "GB"):
        count_in_unit = count / 1000
        if count_in_unit < 1000 or unit == "GB":
            return f"{count_in_unit:,.1f} {unit}"
        count //= 1000
    raise AssertionError(count)


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
