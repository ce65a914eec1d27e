"""Parts: what a person is shown of a run, as a small closed vocabulary.

A workflow says what there is to see (`Workflow.present`); a front end knows how each kind of part
is drawn, and nothing of workflows. A part keeps its `id` while the run goes on, so that a reader
who watches replaces what has changed and nothing flickers.

    Text  Table  Figure  Sources  Score  Changes  Graph  Files  Facts  Trouble  Progress
"""

import json
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import Problem
from sanbo.runs.model import Artifact, JsonObject, Path, Recorded, Status, StepStatus

Tone = Literal["good", "caution", "bad", "plain"]
"""How a value is meant, where that should be seen at once: a colour and a mark, never alone."""


class _Part(Recorded):
    id: str
    """The same as long as the run goes on: `answer`, `table/2`, `progress`."""
    title: str = ""
    is_aside: bool = False
    """What one may look up: how it came about. Drawn folded, or after the rest."""
    interaction_id: str = ""
    """The open question that it belongs to: what a person should know before answering."""


class Text(_Part):
    kind: Literal["text"] = "text"
    markdown: str
    """Safe to draw: what came from documents and models is escaped already."""
    is_growing: bool = False
    """Still being written; it is replaced by its end."""
    is_plain: bool = False
    """No Markdown: to be shown letter by letter."""
    document: Artifact | None = None
    """This, and what stands beside it, as a text to keep."""


CellKind = Literal["text", "number", "share", "date", "boolean"]


class Column(Recorded):
    name: str
    kind: CellKind = "text"
    unit: str = ""
    decimals: int | None = None
    """Of its numbers (of shares, in percent): as many as its largest needs."""


class Table(_Part):
    kind: Literal["table"] = "table"
    columns: tuple[Column, ...]
    rows: tuple[tuple[JsonValue, ...], ...]
    total_rows: int
    """How many there are; `rows` may be only the first of them."""
    file: Artifact | None = None
    """All rows, to be downloaded."""
    note: str = ""


class Figure(_Part):
    kind: Literal["figure"] = "figure"
    picture: Artifact
    spec: JsonObject | None = None
    """The same in Vega-Lite, where it can be drawn live; a large one is the artifact that the
    picture is made of."""
    description: str = ""


class SourceItem(Recorded):
    mark: str
    """As the text cites it: `1`."""
    document: str
    place: str = ""
    """In words: the document with the page, sheet or headings that it stands under."""
    page: int | None = None
    quote: str = ""
    context: str = ""
    """The passage around the quote, where the part has it."""
    chunk_id: str = ""
    collection: str = ""
    score: float | None = None
    is_verified: bool | None = None
    """Whether the quote was found in the document; None where nobody looked."""
    note: str = ""


class Sources(_Part):
    kind: Literal["sources"] = "sources"
    items: tuple[SourceItem, ...]


class Reason(Recorded):
    """Why a score is what it is; the sign of `effect` agrees with its sentence."""

    label: str
    effect: float | None = None
    value: float | None = None
    """What was measured, between 0 and 1."""
    sentence: str = ""


class Score(_Part):
    kind: Literal["score"] = "score"
    value: float = Field(ge=0, le=1)
    level: str
    """In words: high, middling, low."""
    tone: Tone = "plain"
    sentence: str = ""
    """What that means for whoever wants to use it."""
    explanation: tuple[str, ...] = ()
    """Why, in a few sentences, the strongest reasons first."""
    reasons: tuple[Reason, ...] = ()
    """All that was measured."""
    may_be_judged: bool = False
    """People may say whether it was right, which makes later scores truer."""


class Segment(Recorded):
    op: Literal["same", "deleted", "added"]
    text: str


class Side(Recorded):
    place: str = ""
    text: str = ""


class ChangeItem(Recorded):
    id: str
    change: str
    """What happened, by its code: `added`, `moved` …; for filters."""
    label: str
    """The same in words."""
    document: str = ""
    """Which of several pairs it is in."""
    old: Side | None = None
    new: Side | None = None
    diff: tuple[Segment, ...] = ()
    flags: tuple[str, ...] = ()
    """What to look at: an amount, a date, an obligation; in words."""
    explanation: str = ""
    confidence: float | None = None
    tone: Tone = "plain"


class Changes(_Part):
    kind: Literal["changes"] = "changes"
    old_name: str
    new_name: str
    items: tuple[ChangeItem, ...]
    total_items: int
    """How many there are; `items` may be only the first of them."""


class GraphNode(Recorded):
    id: str
    title: str
    detail: str = ""
    status: StepStatus | Literal["pending"] = "pending"
    path: Path = ()
    """The step that it stands for, once that has begun."""
    parent: str = ""
    """The node that it stands inside: a loop, a subflow."""
    is_question: bool = False
    """It asks a person something."""
    change: Literal["", "same", "added", "removed", "changed"] = ""
    """Of a graph of two plans: what has become of it."""


class GraphEdge(Recorded):
    source: str
    target: str
    label: str = ""


class Graph(_Part):
    kind: Literal["graph"] = "graph"
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]


class Files(_Part):
    kind: Literal["files"] = "files"
    items: tuple[Artifact, ...]


class Fact(Recorded):
    label: str
    value: JsonValue
    tone: Tone = "plain"
    note: str = ""


class Facts(_Part):
    kind: Literal["facts"] = "facts"
    items: tuple[Fact, ...]


class Retry(Recorded):
    """A step from which the run may be done again."""

    path: Path
    title: str
    is_question: bool = False
    """Something else may be answered there."""


class Trouble(_Part):
    """A problem, or a warning: the run went on."""

    kind: Literal["problem"] = "problem"
    problem: Problem
    is_warning: bool = False
    path: Path = ()
    retries: tuple[Retry, ...] = ()


class ProgressStep(Recorded):
    id: str
    title: str
    status: StepStatus | Literal["pending"]
    detail: str = ""
    """What it came to, on one line or several."""
    done: int | None = None
    of: int | None = None
    duration_ms: int | None = None
    depth: int = 0
    path: Path = ()
    score: float | None = None
    """How sure its outcome is, where it says so."""
    tone: Tone = "plain"


class Progress(_Part):
    kind: Literal["progress"] = "progress"
    steps: tuple[ProgressStep, ...]


Part = Annotated[
    Text | Table | Figure | Sources | Score | Changes | Graph | Files | Facts | Trouble | Progress,
    Field(discriminator="kind"),
]
Parts = tuple[Part, ...]

READING = "reading"
"""The id of the part that says how a question was taken, in every workflow that says it."""
RECIPE = "recipe"
"""The id of the part that says how to come to the same result again."""


class PartsUpdate(Recorded):
    """What has changed for somebody who watches; what is not in `ids` any more is gone."""

    run_id: str
    seq: int
    """The last event that it takes account of."""
    status: Status
    ids: tuple[str, ...]
    """Of all parts there are now, in the order in which they are drawn."""
    parts: Parts
    """Those that are new or have changed."""


# ---- values as people read them ------------------------------------------------------------


def readable(value: JsonValue) -> JsonValue:
    """With files as nothing but their names."""
    match value:
        case {"file_id": str(), "name": str(name)}:
            return name
        case dict():
            return {key: readable(item) for key, item in value.items()}
        case list():
            return [readable(item) for item in value]
        case _:
            return value


def on_one_line(value: JsonValue, longest: int) -> str:
    """As a person reads it, cut where it is longer."""
    shown = readable(value)
    if shown is None or shown in ([], {}):
        return "–"
    written = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)
    line = " ".join(written[: 4 * longest].split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def shown_cell(
    value: JsonValue, column: Column | None = None, language: Language | None = None
) -> str:
    """A cell of a table or the value of a fact, as a person reads it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return tell("parts.yes" if value else "parts.no", language)
    if isinstance(value, int | float):
        return _number(value, column)
    return value if isinstance(value, str) else json.dumps(readable(value), ensure_ascii=False)


def _number(value: float, column: Column | None) -> str:
    decimals = column.decimals if column else None
    if column is not None and column.kind == "share":
        return f"{value * 100:,.{1 if decimals is None else decimals}f}%"
    if isinstance(value, int):
        return f"{value:,}"
    if decimals is not None and f"{value:.{decimals}f}".strip("-0."):
        return f"{value:,.{decimals}f}"
    return f"{value:,.4f}".rstrip("0").rstrip(".") if abs(value) >= 0.001 else f"{value:.4g}"
