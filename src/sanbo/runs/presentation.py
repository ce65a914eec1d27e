"""A run as parts, where its workflow has nothing better to say: what every run has.

Workflows that present themselves use the same pieces: progress, questions, files, troubles.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from sanbo.kernel.messages import Language, tell
from sanbo.runs.model import Path, Run, Status, Step, is_iteration
from sanbo.runs.parts import (
    CellKind,
    Column,
    Fact,
    Facts,
    Files,
    Part,
    Parts,
    Progress,
    ProgressStep,
    Retry,
    Table,
    Text,
    Trouble,
    readable,
)

MARKDOWN_ENDING = "_md"
"""Of the name of a value that was written for people."""
MOST_STEPS = 300
MOST_ROWS = 100
MOST_COLUMNS = 50
LONGEST_VALUE = 2_000


def present_run(run: Run, language: Language) -> Parts:
    """Progress, what is asked, the result, files, what went wrong."""
    result = () if run.result is None else value_parts(run.result, language, "result")
    return whole(run, language, result)


def whole(
    run: Run,
    language: Language,
    result: Iterable[Part],
    *,
    progress: Progress | None = None,
    questions: Iterable[Part] | None = None,
    has_files: bool = True,
    retries: tuple[Retry, ...] = (),
) -> Parts:
    """All parts in the order in which they are drawn; `has_files`: they are part of the result."""
    shown = progress or progress_of(run, language)
    asked = question_parts(run, language) if questions is None else questions
    aside = run.status.is_final
    steps = (shown.model_copy(update={"is_aside": aside}),) if shown.steps else ()
    files = files_of(run, language, is_aside=not has_files)
    return (
        *(() if aside else steps),
        *asked,
        *result,
        *files,
        *troubles_of(run, language, retries),
        *(steps if aside else ()),
    )


# ---- progress ------------------------------------------------------------------------------


def progress_of(run: Run, language: Language) -> Progress:
    """A line a step; the iterations of a loop are counted in the loop's own."""
    times: Counter[Path] = Counter()
    steps: list[ProgressStep] = []
    shown = [step for step in run.steps if not is_iteration(step.path)]
    for step in shown:
        times[step.path] += 1
        if len(shown) <= MOST_STEPS or step.status != "succeeded" or step in shown[-MOST_STEPS:]:
            steps.append(progress_step(step, times[step.path], language))
    return progress_part(steps, language)


def progress_part(steps: Sequence[ProgressStep], language: Language) -> Progress:
    return Progress(id="progress", title=tell("parts.progress", language), steps=tuple(steps))


def progress_step(step: Step, number: int, language: Language, detail: str = "") -> ProgressStep:
    """`number`: how many of this path there are, this one with them."""
    name = "/".join(step.path)
    problem = step.problem.in_language(language).message if step.problem else ""
    return ProgressStep(
        id=name if number == 1 else f"{name}~{number}",
        title=" › ".join((*step.path[:-1], step.title or step.path[-1] if step.path else "")),
        status=step.status,
        detail=detail or step.reason or problem,
        done=step.iterations if step.of is not None or step.iterations else None,
        of=step.of,
        duration_ms=step.duration_ms,
        depth=len(step.path) - 1,
        path=step.path,
        tone="caution" if step.warnings or (problem and step.status == "running") else "plain",
    )


# ---- questions -----------------------------------------------------------------------------


def question_parts(run: Run, language: Language) -> Iterator[Part]:
    """What people should know before they answer what is open."""
    for asked in run.open_interactions:
        for part in value_parts(asked.context, language, f"question/{asked.interaction_id}"):
            yield part.model_copy(update={"interaction_id": asked.interaction_id})


# ---- values --------------------------------------------------------------------------------


def value_parts(values: Mapping[str, JsonValue], language: Language, name: str) -> Iterator[Part]:
    """What was written for people; where nothing was, all values: rows as tables, the rest as
    facts."""
    texts = {
        key: value
        for key, value in values.items()
        if key.endswith(MARKDOWN_ENDING) and isinstance(value, str) and value
    }
    for key, text in texts.items():
        yield Text(id=f"{name}/{key}", markdown=text)
    if not texts:
        yield from plain_parts(values, language, name)


def plain_parts(values: Mapping[str, JsonValue], language: Language, name: str) -> Iterator[Part]:
    facts: list[Fact] = []
    tables: list[Table] = []
    for key, given in values.items():
        value = readable(given)
        table = table_of(value, f"{name}/{key}", key)
        if table is not None:
            tables.append(table)
        elif value not in (None, [], {}, ""):
            facts.append(Fact(label=key, value=short(value, language)))
    if facts:
        yield Facts(id=name, items=tuple(facts))
    yield from tables


def table_of(value: JsonValue, part_id: str, title: str) -> Table | None:
    """Rows with names for their cells; None where it is something else."""
    if not isinstance(value, list) or not value:
        return None
    if not all(isinstance(row, dict) for row in value):
        return None
    rows = cast("list[dict[str, JsonValue]]", value)
    names = list(dict.fromkeys(name for row in rows for name in row))[:MOST_COLUMNS]
    if not names:
        return None
    return Table(
        id=part_id,
        title=title,
        columns=tuple(Column(name=name, kind=_kind(rows, name)) for name in names),
        rows=tuple(tuple(_cell(row.get(name)) for name in names) for row in rows[:MOST_ROWS]),
        total_rows=len(rows),
    )


def _kind(rows: Sequence[Mapping[str, JsonValue]], name: str) -> CellKind:
    cells = [row.get(name) for row in rows[:MOST_ROWS] if row.get(name) is not None]
    if cells and all(isinstance(cell, bool) for cell in cells):
        return "boolean"
    is_number = cells and all(
        isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells
    )
    return "number" if is_number else "text"


def _cell(value: JsonValue) -> JsonValue:
    return short(value) if isinstance(value, dict | list | str) else value


def short(value: JsonValue, language: Language | None = None) -> JsonValue:
    """A value that fits on a screen; the run itself has it whole."""
    if isinstance(value, bool):
        return tell("parts.yes" if value else "parts.no", language)
    if value is None or isinstance(value, int | float):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


# ---- files, and what went wrong ------------------------------------------------------------


def files_of(run: Run, language: Language, *, is_aside: bool = False) -> Iterator[Files]:
    if run.artifacts:
        title = tell("parts.files", language)
        yield Files(id="files", title=title, items=run.artifacts, is_aside=is_aside)


def troubles_of(run: Run, language: Language, retries: tuple[Retry, ...] = ()) -> Iterator[Trouble]:
    """Why it failed; and of one that went on, which steps gave warnings or failed on the way."""
    if run.problem is not None:
        yield Trouble(id="problem", problem=run.problem.in_language(language), retries=retries)
    for step in run.steps:
        name = "/".join(step.path)
        for number, warning in enumerate(step.warnings, start=1):
            yield Trouble(
                id=f"warning/{name}/{number}",
                title=step.title or name,
                problem=warning.in_language(language),
                is_warning=True,
                path=step.path,
            )
        if step.status == "failed" and step.problem and run.status is Status.SUCCEEDED:
            yield Trouble(
                id=f"failed/{name}",
                title=tell("parts.went_on", language, step=step.title or name),
                problem=step.problem.in_language(language),
                is_warning=True,
                path=step.path,
            )
