"""What a person has said during a run, other than yes or no."""

from typing import Literal

from sanbo.evidence.model import Frozen


class Said(Frozen):
    kind: Literal["instruction", "information"]
    """What to do differently, or a fact that may be cited."""
    text: str
