"""What a page works with: the workbench of this process, who is looking, in which language."""

from dataclasses import dataclass

import streamlit as st

from sanbo.kernel.messages import LANGUAGES, Language, set_language
from sanbo.kernel.problems import PermissionDenied
from sanbo.service.access import LOCAL, Caller
from sanbo.service.blocking import BlockingWorkbench

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
