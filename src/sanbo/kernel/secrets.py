"""Secrets appear in no file, log, event or screen: whatever is written passes `redact`."""

import json
import logging
import re
from urllib.parse import parse_qsl, unquote

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
_known: set[str] = set()

# `kind://user:password@host/database?password=…`, read so that no address can fail to be read.
_URL = re.compile(r"(?P<kind>[^:/?]*)://(?:(?P<user>[^:/?@]*)(?::(?P<password>[^?]*))?@)?[^/?]*")
_URL_SECRETS = frozenset({"password", "passfile", "sslpassword"})


def protect(secret: str) -> None:
    """From now on this value is masked in everything that is written."""
    # Shorter values would also mask ordinary words: a key "unused" is a placeholder, not a secret.
    if len(secret) >= 8:
        # Also as it stands inside JSON, where quotes and backslashes are escaped.
        _known.update(
            {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
        )


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
