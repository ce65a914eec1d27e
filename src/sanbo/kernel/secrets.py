"""Secrets appear in no file, log, event or screen: whatever is written passes `redact`."""

import json
import logging
import re

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
_known: set[str] = set()


def protect(secret: str) -> None:
    """From now on this value is masked in everything that is written."""
    # Shorter values would also mask ordinary words: a key "unused" is a placeholder, not a secret.
    if len(secret) >= 8:
        # Also as it stands inside JSON, where quotes and backslashes are escaped.
        _known.update(
            {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
        )


def redact(text: str) -> str:
    for secret in _known:
        if secret in text:
            text = text.replace(secret, MASK)
    return _SHAPES.sub(MASK, text)


class RedactingFilter(logging.Filter):
    """Masks secrets in log records, their arguments and their tracebacks."""

    @override
    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redact(record.getMessage()), None
        if record.exc_info:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info))
            record.exc_info = None
        return True
