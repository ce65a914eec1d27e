"""Text of the documents as a model is shown it: as JSON that nothing inside can close."""

import json

from sanbo.kernel.secrets import redact


def written(value: object) -> str:
    """JSON in which no document can write `</data>`."""
    text = redact(json.dumps(value, ensure_ascii=False))
    return text.replace("<", "\\u003c").replace(">", "\\u003e")


def as_data(value: object) -> str:
    return f"<data>\n{written(value)}\n</data>"


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
