"""Secrets appear in no file, log, event or screen: whatever is written passes `redact`."""

import base64
import json
import logging
import re
import threading
from collections.abc import Iterator
from urllib.parse import parse_qsl, quote, unquote

from pydantic import JsonValue
from pydantic_core import from_json, to_json
from typing_extensions import override

MASK = "****"

# Keys of the providers by their shape, for those that no setting has announced
# (a provider's error message may quote a key that a person pasted elsewhere).
_SHAPES = re.compile(
    r"""
    \bsk-[A-Za-z0-9_-]{16,}        # OpenAI and compatible servers
    | \bAIza[A-Za-z0-9_-]{30,}     # Google
    | \bsanbo_[A-Za-z0-9_-]{32,}   # access tokens of this workbench
    | (?<=Bearer\ )[A-Za-z0-9._~+/-]{16,}=*
    """,
    re.VERBOSE,
)
_BEGINNINGS = ("sk-", "AIza", "sanbo_", "Bearer ")
"""Without one of these, a text has no such key: looking for them is a hundred times quicker."""
_SHORTEST = 8
_known: tuple[str, ...] = ()
"""The longest first. Never changed in place: other threads go through it at any moment."""
_adding = threading.Lock()

# `kind://user:password@host/database?password=…`, read so that no address can fail to be read.
_URL = re.compile(r"(?P<kind>[^:/?]*)://(?:(?P<user>[^:/?@]*)(?::(?P<password>[^?]*))?@)?[^/?]*")
_URL_SECRETS = frozenset({"password", "passfile", "sslpassword"})


def protect(secret: str) -> None:
    """From now on this value is masked in everything that is written."""
    global _known  # noqa: PLW0603 - what must not be written is known to the whole process
    # Shorter values would also mask ordinary words: a key "unused" is a placeholder, not a secret.
    if len(secret) < _SHORTEST or secret in _known:
        return
    with _adding:
        _known = tuple(sorted({*_known, *_spellings(secret)}, key=len, reverse=True))


def _spellings(secret: str) -> Iterator[str]:
    """As it stands in JSON, in JSON inside a text of JSON, in addresses and in Base64."""
    # Half a surrogate pair is never written as it is.
    data = secret.encode("utf-8", "replace")
    for text in {secret, repr(secret)[1:-1], json.dumps(secret)[1:-1], _in_json(secret)}:
        yield from (text, _in_json(text), json.dumps(text)[1:-1])
    yield quote(data)
    yield quote(data, safe="")
    for before in range(3):
        # Only the letters that no neighbour of the value has a part in.
        coded = base64.b64encode(b"\0" * before + data)
        whole = coded[(before * 8 + 5) // 6 : (before + len(data)) * 8 // 6].decode()
        yield whole
        yield whole.replace("+", "-").replace("/", "_")
    # A key of several lines is printed and logged line by line.
    yield from (line for line in secret.splitlines() if len(line) >= 2 * _SHORTEST)


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def passwords_in(url: str) -> set[str]:
    """The passwords in a database's address, as they stand there and as they are meant."""
    query = url.partition("?")[2]
    found: set[str] = set()
    if (parts := _URL.match(url)) and (password := parts["password"]):
        # An "@" in it may be its end or a part of it.
        found.update({password, password.split("@")[0]})
    found.update(
        value
        for pair in query.split("&")
        for name, _, value in [pair.partition("=")]
        if unquote(name).strip().casefold() in _URL_SECRETS
    )
    found.update(
        value for name, value in parse_qsl(query) if name.strip().casefold() in _URL_SECRETS
    )
    return {each for value in found for each in (value, unquote(value)) if each}


def protect_url(url: str) -> None:
    """Masks its passwords, unless they are words that also stand elsewhere in the address."""
    address = url.partition("?")[0]
    parts = _URL.match(address)
    database = address[parts.end() :].strip("/") if parts else ""
    kind, user = (parts["kind"], parts["user"] or "") if parts else ("", "")
    ordinary = {unquote(word) for word in (*kind.split("+"), user, database)}
    for password in passwords_in(url):
        if unquote(password) not in ordinary | {"postgres", "postgresql"}:
            protect(password)


def redact(text: str) -> str:
    if not text.isascii():
        # Half a surrogate pair (a file's name in another encoding) can't be stored or sent.
        text = text.encode("utf-8", "replace").decode()
    for secret in _known:
        if secret in text:
            text = text.replace(secret, MASK)
    if any(beginning in text for beginning in _BEGINNINGS):
        return _SHAPES.sub(MASK, text)
    return text


def redact_json(text: str) -> str:
    """The same for JSON, which stays JSON: of a number that is a secret, a text remains."""
    safe = redact(text)
    if safe == text:
        return text
    try:
        from_json(safe)
    except ValueError:
        return to_json(redact_value(from_json(text))).decode()
    return safe


def redact_value(value: JsonValue) -> JsonValue:
    """The same for each text in a JSON value."""
    match value:
        case str():
            return redact(value)
        case list():
            return [redact_value(item) for item in value]
        case dict():
            return {redact(key): redact_value(item) for key, item in value.items()}
        case int() | float() if str(value) in _known:
            return MASK
        case _:
            return value


class RedactingFilter(logging.Filter):
    """Masks secrets in log records, their arguments and their tracebacks."""

    @override
    def filter(self, record: logging.LogRecord) -> bool:
        try:
            message = record.getMessage()
        except Exception:  # noqa: BLE001 - arguments that do not fit must not stop the work
            message = f"{record.msg} {record.args}"
        record.msg, record.args = redact(message), None
        if record.exc_info:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info))
            record.exc_info = None
        return True
