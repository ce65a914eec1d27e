"""JSON Schema for answers, in which a pattern has only so long to match."""

from collections.abc import Iterator
from typing import Any

import regex
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

# Patterns come from plans: a text made to backtrack must not stop the server.
PATTERN_SECONDS = 0.5


def _pattern(
    _validator: object, pattern: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    if not isinstance(instance, str):
        return
    try:
        # `$` also matches before a line break at the end, which is no part of a postcode.
        whole = pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern
        matches = regex.search(whole, instance, timeout=PATTERN_SECONDS) is not None
    except TimeoutError:
        matches = False
    except regex.error as error:
        yield ValidationError(f"{pattern}: {error}")
        return
    if not matches:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


AnswerValidator: Any = extend(Draft202012Validator, {"pattern": _pattern})
