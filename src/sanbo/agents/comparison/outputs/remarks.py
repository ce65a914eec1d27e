"""What stands in the column of remarks of a table of changes."""

from dataclasses import dataclass

from sanbo.agents.comparison.model import Change
from sanbo.agents.comparison.outputs.rows import Stretch
from sanbo.agents.comparison.outputs.wording import attention, explanation, from_to, kind_word
from sanbo.kernel.messages import Language, tell


@dataclass(frozen=True)
class Remark:
    text: str
    strong: bool = False


def remarks(change: Change, language: Language) -> list[Remark]:
    """Its kind, what to look at, where it went, and why."""
    lines = (
        Remark(kind_word(change.kind, language), strong=True),
        Remark(attention(change, language), strong=change.needs_attention),
        Remark(from_to(change, language)),
        Remark(explanation(change, language)),
    )
    return [line for line in lines if line.text]


def stretch_remark(stretch: Stretch, language: Language) -> str:
    told = "unchanged" if stretch.is_unchanged else "folded"
    return tell(f"comparison_outputs.table.{told}", language, count=stretch.paragraphs)
