"""A design as people see it: the outline, open points, what is still wrong, and the plan's text."""

from collections.abc import Iterator, Mapping

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import Language, tell
from sanbo.plans.designing.outline import Outline
from sanbo.runs.fold import Snapshot
from sanbo.runs.model import Run
from sanbo.runs.parts import Column, Fact, Facts, Part, Parts, Table, Text
from sanbo.runs.presentation import whole

_COLUMNS = ("title", "who", "files", "gives")


def present(seen: Snapshot, language: Language) -> Parts:
    return whole(seen.run, language, _parts(seen.run, language))


def _parts(run: Run, language: Language) -> Iterator[Part]:
    result = run.result
    if not isinstance(result, dict):
        return
    outline = Outline.model_validate(result["outline"])
    yield _steps(outline, language)
    if outline.open_points:
        lines = [f"- {literal(point)}" for point in outline.open_points]
        title = tell("plan_design.shown.open_points", language)
        yield Text(id="open_points", title=title, markdown="\n".join(lines))
    yield _verdict(result, language)
    title = tell("plan_design.shown.text", language)
    yield Text(id="text", title=title, markdown=str(result["text"]), is_plain=True, is_aside=True)


def _steps(outline: Outline, language: Language) -> Table:
    columns = [Column(name=tell(f"plan_design.shown.{name}", language)) for name in _COLUMNS]
    comma = tell("plan_design.comma", language)
    rows = [(step.title, step.who, comma.join(step.files), step.gives) for step in outline.steps]
    return Table(
        id="outline",
        title=tell("plan_design.shown.outline", language),
        columns=tuple(columns),
        rows=tuple(rows),
        total_rows=len(rows),
    )


def _verdict(result: Mapping[str, object], language: Language) -> Facts:
    def fact(name: str, *, holds: bool) -> Fact:
        said = tell("plan_design.shown.good" if holds else "plan_design.shown.bad", language)
        label = tell(f"plan_design.shown.{name}", language)
        return Fact(label=label, value=said, tone="good" if holds else "bad")

    rounds = tell("plan_design.shown.rounds", language)
    return Facts(
        id="verdict",
        items=(
            fact("valid", holds=bool(result["is_valid"])),
            fact("dry_run", holds=bool(result["is_dry_run"])),
            Fact(label=rounds, value=str(result["rounds"])),
        ),
    )
