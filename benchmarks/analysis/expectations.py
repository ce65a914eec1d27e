"""What is asked, and what an answer must hold: the YAML files beside this one."""

from datetime import date
from pathlib import Path
from typing import Annotated, Literal, cast

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict

from sanbo.kernel.messages import Language

FOLDER = Path(__file__).parent

Kind = Literal["report", "question", "out_of_scope"]
Aggregated = Literal[
    "count",
    "sum",
    "mean",
    "median",
    "min",
    "max",
    "std",
    "q25",
    "q75",
    "nunique",
    "duplicates",
    "outliers",
]
Then = Literal[
    "mean",
    "mean_by_first",
    "share",
    "part",
    "growth",
    "cumulative",
    "cumulative_share",
]


class Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _listed(value: object) -> object:
    """One thing where several are possible."""
    return cast("object", value) if isinstance(value, list) or value is None else [value]


Conditions = list[list[str | int | float | bool | date | list[str]]]
"""`[column, is | not | over | at_least | under | at_most | in | has | empty, value]`, all hold."""


class Rows(Closed):
    """The first rows in an order, as they stand in the table."""

    by: str
    n: int
    order: Literal["desc", "asc"] = "desc"
    show: list[str]


class Test(Closed):
    value: str
    group: str
    groups: list[str] = []


class Recipe(Closed):
    """How plain pandas comes to the numbers. Nothing in it is evaluated as code."""

    dedup: bool = False
    """Rows that stand there twice count once."""
    fill: dict[str, Literal["mean", "median"]] = {}
    """Empty cells get this of their column."""
    filter: Conditions = []
    any_of: Conditions = []
    derive: dict[str, tuple[str, Literal["plus", "minus", "times", "over"], str]] = {}
    group: list[str] = []
    """Columns; `日付@month` by period, `年齢@10` in steps of ten."""
    column: str | None = None
    agg: Aggregated = "count"
    """Without a column rows are counted."""
    ratio: tuple[str, str] | None = None
    """Sum through sum, in each group."""
    then: Then | None = None
    periods: int = 1
    """Growth against so many periods before."""
    within: str | None = None
    """Shares add up to 1 in each of these."""
    only: str | None = None
    """Just the figures that stand at this label."""
    order: Literal["desc", "asc"] | None = None
    top: int | None = None
    rows: Rows | None = None
    each: str | None = None
    """Each value that this column has after the filter."""
    missing: Annotated[list[str], BeforeValidator(_listed)] = []
    overview: bool = False
    correlation: tuple[str, str] | None = None
    test: Test | None = None


class Chart(Closed):
    kind: Annotated[list[str], BeforeValidator(_listed)]
    x: str
    unit: str | None = None
    y: str | None = None
    """Without it rows are counted."""
    agg: str | None = None
    color: str | None = None
    facet: str | None = None
    stacked: bool | None = None
    swap_color: bool = False
    """Either of the two groupings may stand along the axis."""
    filter: Conditions = []


class Question(Closed):
    ask: str
    topic: str
    before: list[str] = []
    """Asked in the same conversation before it."""
    kind: Annotated[list[Kind], BeforeValidator(_listed)] = ["report"]
    expect: Annotated[list[Recipe], BeforeValidator(_listed)] = []
    """All of these stand in the answer."""
    either: list[Recipe] = []
    """One of these is enough: the question can be understood in more than one way."""
    chart: Chart | None = None


class QuestionFile(Closed):
    table: str
    encoding: str = "utf-8-sig"
    numbers: list[str] = []
    dates: list[str] = []
    times: list[str] = []
    ja: list[Question]
    en: list[Question]

    @property
    def path(self) -> Path:
        return FOLDER / "tables" / self.table

    def questions(self) -> list[tuple[Language, Question]]:
        both: list[tuple[Language, list[Question]]] = [("ja", self.ja), ("en", self.en)]
        return [(language, question) for language, all_ in both for question in all_]


def read_questions() -> list[QuestionFile]:
    return [
        QuestionFile.model_validate(yaml.safe_load(path.read_text("utf-8")))
        for path in sorted((FOLDER / "questions").glob("*.yaml"))
    ]
