"""The few words that Sanbo adds to a caller's messages, and data as a model is shown it: JSON
between marks that nothing inside can close.
"""

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


JSON_ONLY = """\
Answer with one JSON value that conforms to this JSON Schema, and with nothing else: \
no explanation, no Markdown, no line breaks.

{schema}"""

REPAIR = """\
Your answer does not conform to the JSON Schema:

{errors}

Answer again with the complete, corrected JSON value and nothing else."""

BAD_ARGUMENTS = """\
The call was not carried out: {error}
The arguments were: {arguments}
Call the tool again with arguments that conform to its JSON Schema."""
