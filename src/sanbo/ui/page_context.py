"""What every page works with: the workbench, who is looking, how things look, and the boundary
inside of which whatever goes wrong is drawn as a problem.
"""

import functools
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Literal, NamedTuple, ParamSpec
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from sanbo.kernel.markdown import paragraphs
from sanbo.kernel.messages import LANGUAGES, Language, current_language, set_language, tell
from sanbo.kernel.problems import PermissionDenied, Problem, SanboError, Unexpected
from sanbo.service.access import LOCAL, Caller
from sanbo.service.bootstrap import BlockingWorkbench

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


TOKEN_COOKIE = "sanbo_token"  # noqa: S105 - the cookie's name
_LANGUAGE = "language"
_LANGUAGE_PARAMETER = "lang"


@dataclass(frozen=True)
class Connection:
    bench: BlockingWorkbench
    requires_token: bool


_provided: list[Connection] = []


def provide(bench: BlockingWorkbench, *, requires_token: bool) -> None:
    """Called by the server when its workbench is open; pages run in threads of this process."""
    _provided[:] = [Connection(bench, requires_token)]


def withdraw() -> None:
    _provided.clear()


def connection() -> Connection:
    return _provided[0]


def bench() -> BlockingWorkbench:
    return connection().bench


def caller() -> Caller:
    """The person at this machine, or the bearer of the token that the browser sent."""
    if not connection().requires_token:
        return LOCAL
    token = _token()
    if not token:
        raise PermissionDenied("token_missing")
    return bench().workbench.access.authenticate(token)


def _token() -> str:
    scheme, _, value = (st.context.headers.get("Authorization") or "").partition(" ")
    if scheme.casefold() == "bearer":
        return value.strip()
    return st.context.cookies.get(TOKEN_COOKIE) or ""


def language() -> Language:
    """Of this session: what the person chose in the page, else what the browser prefers."""
    chosen = st.session_state.get(_LANGUAGE)
    return chosen if chosen in LANGUAGES else _usual_language()


def _usual_language() -> Language:
    """The browser's; where it prefers another, the setting."""
    preferred = (st.context.locale or "").partition("-")[0]
    if preferred in LANGUAGES:
        return preferred
    return bench().workbench.settings.language


def speak() -> None:
    """Sets this thread's language; fragments and callbacks may run in one of their own."""
    set_language(language())


def settle_language() -> None:
    """Reads the choice from the address, and puts it there: a reload and a bookmark keep it."""
    in_address = st.query_params.get(_LANGUAGE_PARAMETER)
    if _LANGUAGE not in st.session_state and in_address in LANGUAGES:
        st.session_state[_LANGUAGE] = in_address
    spoken = language()
    is_usual = spoken == _usual_language()
    if is_usual and in_address is not None:
        del st.query_params[_LANGUAGE_PARAMETER]
    elif not is_usual and in_address != spoken:
        st.query_params[_LANGUAGE_PARAMETER] = spoken
    speak()


def choose_language(spoken: Language) -> None:
    st.session_state[_LANGUAGE] = spoken


def draw_problem(
    problem: Problem, *, key: str = "", retry: Callable[[], None] | None = None
) -> None:
    """`retry`: what the button does; there is none where trying again can't help."""
    told = problem.in_language(current_language())
    st.error(paragraphs(told.message), icon=":material/error:")
    if told.hint:
        st.info(paragraphs(told.hint), icon=":material/lightbulb:")
    if retry is not None:
        st.button(
            tell("ui.problem.retry"),
            icon=":material/refresh:",
            key=f"retry:{key}",
            on_click=retry,
            type="primary",
        )
    with st.expander(tell("ui.problem.details")):
        shown: dict[str, object] = {"code": told.code.value}
        if told.details:
            shown["details"] = told.details
        if told.input_snapshot:
            shown["input_snapshot"] = told.input_snapshot
        st.json(shown, expanded=2)


logger = logging.getLogger(__name__)
P = ParamSpec("P")


def guarded(draw: Callable[P, None]) -> Callable[P, None]:
    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            speak()
            draw(*args, **kwargs)
        except SanboError as error:
            draw_problem(error.problem)
        except Exception as error:  # noqa: BLE001 - logged, and shown as what it is: our defect
            draw_problem(unexpected(error))

    return drawn


def fragment(draw: Callable[P, None], *, run_every: float | None = None) -> Callable[P, None]:
    """A part of a page that is redrawn by itself, on a clock or by its own widgets."""
    return st.fragment(guarded(draw), run_every=run_every)


def unexpected(error: Exception) -> Problem:
    """A defect of ours: the log has the traceback, the page the reference to find it by."""
    reference = f"ui-{secrets.token_hex(4)}"
    logger.error("page failed (%s)", reference, exc_info=error)
    return Unexpected("unexpected", kind=type(error).__name__, reference=reference).problem


def draw_last_resort(error: Exception) -> bool:
    """For what a widget's callback raises: Streamlit calls this instead of showing a traceback."""
    speak()
    draw_problem(error.problem if isinstance(error, SanboError) else unexpected(error))
    return True
