"""What differs between two plans, for front ends: as data, as parts, as a picture."""

from pydantic import BaseModel, ConfigDict

from sanbo.kernel.messages import current_language
from sanbo.plans.diff import PlanChange
from sanbo.plans.diff_view import changes_between, diff_parts, marked, name_of, sentence, sign
from sanbo.plans.drawing.layout import Direction
from sanbo.plans.drawing.look import Theme
from sanbo.plans.drawing.pictures import draw_mermaid
from sanbo.plans.drawing.process import Drawing
from sanbo.plans.model import PlanSource
from sanbo.runs.parts import Parts
from sanbo.service.plan_pictures import PictureFormat


class ToldChange(PlanChange):
    sign: str
    sentence: str
    """In the language of who asks."""


class PlanDiff(BaseModel):
    model_config = ConfigDict(frozen=True)

    old: str
    new: str
    changes: tuple[ToldChange, ...]
    parts: Parts


def diff_of(old: PlanSource, new: PlanSource) -> PlanDiff:
    changes = changes_between(old, new)
    return PlanDiff(
        old=name_of(old),
        new=name_of(new),
        changes=tuple(
            ToldChange(**dict(each), sign=sign(each), sentence=sentence(each)) for each in changes
        ),
        parts=diff_parts(old, new, changes, current_language()),
    )


def diff_picture(
    old: PlanSource,
    new: PlanSource,
    *,
    kind: PictureFormat = "svg",
    direction: Direction = "down",
    theme: Theme = "auto",
) -> bytes:
    plan, called, marks = marked(old, new, changes_between(old, new))
    if kind == "mermaid":
        return draw_mermaid(plan, marks, called=called, direction=direction).encode()
    return Drawing(kind, plan, called, marks, current_language(), direction, theme).drawn_apart()
