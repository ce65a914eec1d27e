"""Differences between plans as people see them: sentences, parts, a coloured graph."""

from collections.abc import Mapping

from sanbo.kernel.messages import Language, tell
from sanbo.plans.diff import PlanChange, changes_between, merged, status_of
from sanbo.plans.drawing.figure import ChangeStatus, Figure, Mark, figure_of
from sanbo.plans.model import Plan, PlanSource
from sanbo.plans.present import graph_part
from sanbo.plans.progress import loaded_plans
from sanbo.runs.model import Path
from sanbo.runs.parts import ChangeItem, Changes, Parts, Side, Tone, on_one_line

LONGEST = 120
_TONES: dict[str, Tone] = {"added": "good", "removed": "bad"}
SIGNS: dict[str, str] = {"added": "＋", "removed": "－"}
CHANGED = "～"


def sentence(change: PlanChange, language: Language | None = None) -> str:
    said = tell(
        f"plan_diff.{change.kind}",
        language,
        name=change.name or tell("plan_diff.whole", language),
        before=on_one_line(change.before, LONGEST),
        after=on_one_line(change.after, LONGEST),
    )
    node = "/".join(change.node)
    return tell("plan_diff.of_node", language, node=node, said=said) if node else said


def sign(change: PlanChange) -> str:
    return SIGNS.get(change.kind, CHANGED)


def marked(
    old: PlanSource, new: PlanSource, changes: tuple[PlanChange, ...]
) -> tuple[Plan, Mapping[str, Plan], dict[Path, Mark]]:
    """Both plans as one, and what has become of each node."""
    (before, called_before), (after, called) = loaded_plans(old), loaded_plans(new)
    both = Plan.model_validate(merged(before, after), from_attributes=True)
    known = {**called_before, **called}
    figure = figure_of(both, known)
    marks = {item.path: Mark(status_of(item.path, changes)) for item in figure.everything()}
    return both, known, marks


def diff_parts(
    old: PlanSource, new: PlanSource, changes: tuple[PlanChange, ...], language: Language
) -> Parts:
    both, called, marks = marked(old, new, changes)
    figure = figure_of(both, called, language)
    return (
        Changes(
            id="changes",
            title=tell("plan_diff.title", language),
            old_name=name_of(old),
            new_name=name_of(new),
            items=tuple(_item(number, each, language) for number, each in enumerate(changes)),
            total_items=len(changes),
        ),
        _graph(figure, marks, language),
    )


def name_of(source: PlanSource) -> str:
    plan, _ = loaded_plans(source)
    return f"{plan.id}@{plan.version}"


def _item(number: int, change: PlanChange, language: Language) -> ChangeItem:
    place = "/".join(change.node)
    sides = [
        None if value is None else Side(place=place, text=on_one_line(value, 10 * LONGEST))
        for value in (change.before, change.after)
    ]
    return ChangeItem(
        id=str(number),
        change=change.kind,
        label=tell(f"plan_diff.kinds.{change.kind}", language),
        old=sides[0],
        new=sides[1],
        explanation=sentence(change, language),
        tone=_TONES.get(change.kind, "caution"),
    )


def _graph(figure: Figure, marks: Mapping[Path, Mark], language: Language):
    drawn = graph_part(figure, {}, language)
    nodes = [node.model_copy(update={"change": marks[node.path].status}) for node in drawn.nodes]
    return drawn.model_copy(update={"nodes": tuple(nodes), "is_aside": False})


__all__ = ["ChangeStatus", "changes_between", "diff_parts", "marked", "name_of", "sentence", "sign"]
