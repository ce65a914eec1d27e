"""How a question was read, in the person's words: chips, and a line of them."""

from collections.abc import Sequence

from pydantic import BaseModel

from sanbo.agents.analysis.spec.chips import Chip, spoken
from sanbo.agents.analysis.spec.plots import AnySpec
from sanbo.kernel.messages import Language, tell


class ReadingChip(BaseModel):
    """A part of the reading: what it says, and which field of which operation it speaks of."""

    role: str
    label: str
    """何を, 何ごとに, 条件 …"""
    text: str
    step: int
    """The place of its operation in `specs`."""
    path: tuple[str, ...]


def chips_of(specs: Sequence[AnySpec], language: Language) -> list[ReadingChip]:
    return [
        ReadingChip(
            role=chip.role,
            label=tell(f"analysis_chip.role.{chip.role}", language),
            text=chip.text,
            step=step,
            path=chip.path,
        )
        for step, spec in enumerate(specs)
        for chip in _said(spec, language)
    ]


def reading_text(specs: Sequence[AnySpec], language: Language) -> str:
    """売上金額の合計・店舗ごと・新宿店を除く; operations in a row with arrows between them."""
    between = tell("analysis_chip.between", language)
    return " → ".join(between.join(chip.text for chip in _said(spec, language)) for spec in specs)


def _said(spec: AnySpec, language: Language) -> list[Chip]:
    """Without the mention of the result before it: the arrow says that."""
    return [chip for chip in spoken(spec, language) if chip.path != ("/input",)]
