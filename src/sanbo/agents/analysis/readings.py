"""How a question was read, in the person's words: chips, and a line of them."""

from collections.abc import Sequence

from pydantic import BaseModel

from sanbo.agents.analysis.spec.chips import Chip, spoken
from sanbo.agents.analysis.spec.operations import GroupbyAgg, Resample
from sanbo.agents.analysis.spec.phrases import metric_text
from sanbo.agents.analysis.spec.plots import AnySpec
from sanbo.agents.analysis.spec.words import DATASET, metric_name
from sanbo.kernel.messages import Language, tell, use_language


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
        for step, chips in enumerate(_said(specs, language))
        for chip in chips
    ]


def reading_text(specs: Sequence[AnySpec], language: Language) -> str:
    """売上金額の合計・店舗ごと・新宿店を除く; an arrow before what is made from a result."""
    between = tell("analysis_chip.between", language)
    text = ""
    known: set[tuple[str, str]] = set()
    for spec, chips in zip(specs, _said(specs, language), strict=True):
        is_made = spec.input != DATASET
        # A chart beside its table says the same once more.
        new = [chip for chip in chips if is_made or (chip.role, chip.text) not in known]
        known |= {(chip.role, chip.text) for chip in chips}
        said = between.join(_alone(chip, language) for chip in new)
        text += (" → " if is_made else between) * bool(text and said) + said
    return text


_EACH = ("/group_col", "/by", "/rows", "/x", "/date_col", "/id_col")


def _alone(chip: Chip, language: Language) -> str:
    """Without the label that says of a group that it is one."""
    if chip.role != "group" or not chip.path[0].startswith(_EACH):
        return chip.text
    if chip.text.endswith(tell("analysis_chip.by_group", language, name="")):
        return chip.text
    return tell("analysis_chip.by_group", language, name=chip.text)


def _said(specs: Sequence[AnySpec], language: Language) -> list[list[Chip]]:
    """Without the mention of the result before it, and with its columns in words."""
    return [
        [
            chip.model_copy(update={"text": _in_words(chip.text, specs[:step], language)})
            if spec.input != DATASET
            else chip
            for chip in spoken(spec, language)
            if chip.path != ("/input",)
        ]
        for step, spec in enumerate(specs)
    ]


def _in_words(text: str, before: Sequence[AnySpec], language: Language) -> str:
    """売上_sum is what specs call it."""
    with use_language(language):
        made = {
            metric_name(column, kind): metric_text(column, kind)
            for spec in before
            if isinstance(spec, GroupbyAgg | Resample)
            for column, kinds in spec.metrics.items()
            for kind in kinds
        }
    for name in sorted(made, key=len, reverse=True):
        text = text.replace(name, made[name])
    return text
