"""A question as a person types it, and as it is asked."""

import re

from sanbo.kernel.problems import InvalidInput

LONGEST_QUESTION = 2_000
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def asked(question: str) -> str:
    """Without control characters; refused where nothing is left of it."""
    question = plain(question)
    if not any(character.isalnum() for character in question):
        raise InvalidInput("question_blank")
    return question


def plain(text: str) -> str:
    """What a person typed or a model wrote, without control characters."""
    return _CONTROLS.sub(" ", text).strip()
