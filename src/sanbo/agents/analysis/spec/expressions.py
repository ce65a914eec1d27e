"""How a new column is computed: a closed tree. There is no text that anybody evaluates."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, cast

from pydantic import ConfigDict, Field, model_validator

from sanbo.agents.analysis.spec.filters import CompareOp
from sanbo.agents.analysis.spec.words import ColumnName, Ddof, Scalar, Strict, TimeUnit

MOST_PARTS = 100
DEEPEST = 20


class Term(Strict):
    """Any of them may stand in any other: they are built as the whole they are, when it is used."""

    model_config = ConfigDict(defer_build=True)


class Column(Term):
    fn: Literal["column"] = "column"
    name: ColumnName


class Constant(Term):
    fn: Literal["constant"] = "constant"
    value: Scalar


class Arithmetic(Term):
    """`divide` by zero gives no value."""

    fn: Literal["add", "subtract", "multiply", "divide", "power", "modulo"]
    left: "Expression"
    right: "Expression"


class Log(Term):
    """No value where the argument is not positive (`plus_one`: log of 1 + x)."""

    fn: Literal["log"] = "log"
    of: "Expression"
    base: Literal["e", "2", "10"] = "e"
    plus_one: bool = False


class Numeric(Term):
    """`round` to `digits` after the decimal point; the others take no digits."""

    fn: Literal["abs", "sqrt", "negate", "round", "floor", "ceil"]
    of: "Expression"
    digits: int = Field(default=0, ge=-15, le=15)


class Scale(Term):
    """Over the whole column, or within each group of `by`."""

    fn: Literal["zscore", "min_max", "rank", "share"]
    of: "Expression"
    by: ColumnName | None = None
    ddof: Ddof = 1


class DatePart(Term):
    """`month_of_year`, `weekday` … as numbers (Monday is 1); periods such as 2025-04 as text."""

    fn: Literal["date_part"] = "date_part"
    of: "Expression"
    part: TimeUnit
    fiscal_start: int = Field(default=4, ge=1, le=12)


class DateDifference(Term):
    """`end` minus `start`; months and years count only when they are full."""

    fn: Literal["date_difference"] = "date_difference"
    start: "Expression"
    end: "Expression"
    unit: Literal["minutes", "hours", "days", "weeks", "months", "years"] = "days"


class Bin(Term):
    """By `edges`, in steps of a `width`, into `quantiles` parts of equal size, or `count` of
    equal width."""

    fn: Literal["bin"] = "bin"
    of: "Expression"
    edges: tuple[float, ...] = ()
    width: float | None = Field(default=None, gt=0)
    quantiles: int | None = Field(default=None, ge=2, le=100)
    count: int = Field(default=5, ge=2, le=100)
    labels: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _as_before(cls, value: Any) -> Any:
        """Earlier versions said with true or false whether `count` parts have equal size."""
        if not isinstance(value, dict):
            return value
        given = cast("dict[str, Any]", value)
        if isinstance(by_size := given.get("quantiles"), bool):
            return {**given, "quantiles": given.get("count", 5) if by_size else None}
        return given

    @model_validator(mode="after")
    def _fit(self) -> "Bin":
        if len(self.edges) == 1 or list(self.edges) != sorted(set(self.edges)):
            raise ValueError("edges are at least two numbers in rising order")
        if sum((bool(self.edges), self.width is not None, self.quantiles is not None)) > 1:
            raise ValueError("one of edges, width and quantiles")
        parts = len(self.edges) - 1 if self.edges else self.quantiles or self.count
        if self.labels and (self.width is not None or len(self.labels) != parts):
            raise ValueError(f"{parts} parts need {parts} labels")
        return self


class Missing(Term):
    """True where there is no value, false where there is one."""

    fn: Literal["is_missing"] = "is_missing"
    of: "Expression"


class TextLength(Term):
    fn: Literal["length"] = "length"
    of: "Expression"


class TextContains(Term):
    """True where the text stands in it as it is: no pattern."""

    fn: Literal["contains"] = "contains"
    of: "Expression"
    text: str = Field(min_length=1)


class TextPart(Term):
    """Characters from `start` (0 is the first), `length` of them or all the rest."""

    fn: Literal["text_part"] = "text_part"
    of: "Expression"
    start: int = 0
    length: int | None = Field(default=None, ge=1)


class Join(Term):
    fn: Literal["join"] = "join"
    parts: tuple["Expression", ...] = Field(min_length=2, max_length=20)
    separator: str = ""


class Comparison(Term):
    """True or false."""

    fn: Literal["compare"] = "compare"
    left: "Expression"
    op: CompareOp
    right: "Expression"


class Choose(Term):
    fn: Literal["if"] = "if"
    condition: "Expression"
    then: "Expression"
    otherwise: "Expression | None" = None


Expression = Annotated[
    Column | Constant | Arithmetic | Log | Numeric | Scale | DatePart | DateDifference | Bin
    | TextLength | TextContains | TextPart | Join | Missing | Comparison | Choose,
    Field(discriminator="fn"),
]  # fmt: skip


def check_size(value: Any) -> Any:
    """Before the tree is built: one too deep or too large is refused, not a stack overflow."""
    level: list[Any] = [value]
    parts, depth = 0, 0
    while level:
        depth += 1
        parts += sum(isinstance(node, dict) for node in level)
        if depth > 2 * DEEPEST or parts > MOST_PARTS:
            raise ValueError(f"an expression has at most {MOST_PARTS} parts, {DEEPEST} deep")
        level = [child for node in level for child in _children(node)]
    return value


def _children(node: Any) -> Iterable[Any]:
    if isinstance(node, dict):
        return cast("dict[str, Any]", node).values()
    return cast("list[Any]", node) if isinstance(node, list | tuple) else ()
