"""Data as a model is shown it: JSON between marks that nothing inside can close."""

import json

from sanbo.kernel.secrets import redact


def as_data(value: object) -> str:
    return between_marks(json.dumps(value, ensure_ascii=False))


def between_marks(json_text: str) -> str:
    """JSON that was written already."""
    return f"<data>\n{_closed(json_text)}\n</data>"


def written(value: object) -> str:
    """JSON in which no document can write `</data>`, with what looks like a secret left out."""
    return _closed(json.dumps(value, ensure_ascii=False))


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _closed(json_text: str) -> str:
    return redact(json_text).replace("<", "\\u003c").replace(">", "\\u003e")
