"""Validators of JSON Schema that reach nothing outside and can't be slowed down by a pattern."""

from collections.abc import Mapping
from typing import Any

import jsonschema_rs

_PATTERNS = jsonschema_rs.RegexOptions(size_limit=2_000_000)


def compiled(schema: Mapping[str, Any]) -> jsonschema_rs.Validator:
    """`jsonschema_rs.ValidationError` or `ValueError` for what is no JSON Schema."""
    return jsonschema_rs.Draft202012Validator(
        dict(schema), offline=True, pattern_options=_PATTERNS, validate_formats=True
    )
