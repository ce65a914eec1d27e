"""What a model is told of a table: columns, never rows; and always as data.

Specs as a model reads and writes them: their own JSON, in the forms that every schema can say.

A free map has no form in strict JSON Schema: metrics are a list. A column that another step of the
same reply makes is `{"made": "売上_sum"}`, so that all others can be an enumeration.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, cast

from pydantic import BaseModel, TypeAdapter

from sanbo.agents.analysis.charts import KINDS
from sanbo.agents.analysis.deciding import offered_reading, readings_of
from sanbo.agents.analysis.decision import Offered, OutOfScope, ResultView, View
from sanbo.agents.analysis.mentions.finding import items_of
from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.agents.analysis.outcome import Made
from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile
from sanbo.agents.analysis.spec.binding import columns_of, with_columns
from sanbo.agents.analysis.spec.plots import AnySpec
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.spec.words import DATASET, Sort
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import Problem
from sanbo.kernel.text import matching_form
from sanbo.llm.prompts import between_marks, cut

Json = dict[str, Any]
MOST_SPECS, MOST_CHOICES = 6, 3
LONGEST_WHY, LONGEST_TEXT = 120, 200
_LONGEST_VALUE, _MOST_ITEMS = 80, 10
_SHORT = 50
_TAGS = ("op", "kind", "fn")
# Maps by column, and what their lists call the value.
_LISTS = {"metrics": "agg", "methods": "method"}
# Fields whose defaults serve; a person can change them in the reading.
_LEFT_OUT = frozenset({"type", "sample", "ddof", "bias", "alpha", "abc", "title", "horizontal"})
_CELLS = ("value", "groups", "text", "labels")  # fields that may hold what stands in the table
_ROWS = ("*", "")  # what models write as the column of a row count
_MADE = "\0"


# ---- a spec as it is written ----


def written(spec: AnySpec, known: Sequence[str], may_say: Callable[[str], bool]) -> Json:
    """`known`: columns that can be named. Values that must not be said are left as `…`."""

    def mark(name: str) -> str:
        return name if name in known else f"{_MADE}{name}"

    def told(value: Any, place: str = "") -> Any:
        if isinstance(value, Sort):
            return {"by": told(mark(value.by)), "ascending": value.ascending}
        if isinstance(value, BaseModel):
            return {
                name: told(inner, name)
                for name, field in type(value).model_fields.items()
                if name != "type" and (inner := getattr(value, name)) is not None
                if name in _TAGS or inner != field.get_default(call_default_factory=True)
            }
        if place in _LISTS:
            return [
                {"column": told(column), _LISTS[place]: each}
                for column, inner in cast("Mapping[str, Any]", value).items()
                for each in (cast("tuple[Any]", inner) if isinstance(inner, tuple) else (inner,))
            ]
        if isinstance(value, list | tuple):
            return [told(each, place) for each in cast("Sequence[Any]", value)]
        if isinstance(value, str) and value.startswith(_MADE):
            return {"made": value.removeprefix(_MADE)}
        is_closed = isinstance(value, str) and place in _CELLS and not may_say(value)
        return "…" if is_closed else value

    whole = cast("Json", told(with_columns(spec, mark)))
    tag = "kind" if spec.type == "plot" else "op"
    return {tag: whole.pop(tag), **whole}


def read(told: Json) -> AnySpec:
    """Validated as any spec from outside is; `InvalidInput` where it says nonsense."""
    return read_spec(_read(told))


def _read(told: Any) -> Any:
    if isinstance(told, list):
        return [_read(each) for each in cast("list[Any]", told)]
    if not isinstance(told, dict):
        return told
    given = {name: each for name, each in cast("Json", told).items() if each is not None}
    if given.keys() == {"made"}:
        return given["made"]
    return {
        name: _mapped(_LISTS[name], cast("list[Any]", each))
        if name in _LISTS and isinstance(each, list)
        else _read(each)
        for name, each in given.items()
    }


def _mapped(word: str, listed: list[Any]) -> Json:
    found: Json = {}
    for each in cast("list[Json]", _read(listed)):
        column, value = str(each.get("column", "")), each.get(word)
        if word == "method":
            found[column] = value
        elif column not in _ROWS:  # rows are counted where nothing is measured
            found.setdefault(column, [])
            found[column] += [value] if value not in found[column] else []
    return found


# ---- the schema of a reply ----


def reply_schema(
    columns: Sequence[str], values: Sequence[str], inputs: Sequence[str], *, has_draft: bool
) -> Json:
    """One form for each action, its needed fields first."""
    text = _string(LONGEST_TEXT)
    forms = {
        "ok": {},
        "specs": {"specs": _array({"$ref": "#/$defs/Step"}, 1, MOST_SPECS)},
        "ask": {"question": text, "choices": _array(text, 0, MOST_CHOICES)},
        "refuse": {"scope": TypeAdapter(OutOfScope).json_schema()},
    }
    actions: list[Json] = []
    for action, needed in forms.items():
        if action != "ok" or has_draft:
            form = _object(action={"type": "string", "const": action}, **needed)
            form["properties"]["why"] = _string(LONGEST_WHY)
            actions.append(form)
    plain = [_string(_LONGEST_VALUE), {"type": "number"}, {"type": "boolean"}]
    known: Json = {
        "Column": {"anyOf": [{"type": "string", "enum": list(columns)}, _object(made=text)]},
        "Value": {"anyOf": [*([{"type": "string", "enum": [*values]}] if values else []), *plain]},
        "Input": {"type": "string", "enum": list(inputs)},
    }
    return _object(decision={"anyOf": actions}) | {"$defs": known | _vocabulary()}


def _string(most: int) -> Json:
    return {"type": "string", "maxLength": most}


def _array(items: Json, least: int = 0, most: int = _MOST_ITEMS) -> Json:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _object(**properties: Any) -> Json:
    form: Json = {"type": "object", "properties": properties, "required": list(properties)}
    return form | {"additionalProperties": False}


@cache
def _vocabulary() -> Json:
    """The forms of all operations, charts, conditions and expressions; each part once."""
    whole = TypeAdapter(AnySpec).json_schema()
    shared: dict[str, str] = {}
    made: Json = {}
    for name, form in cast("Json", whole["$defs"]).items():
        made[f"C_{name}" if name == "Column" else name] = _form(form, shared)
    steps = [name for name, form in made.items() if "input" in form.get("properties", {})]
    made["Step"] = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in steps]}
    return made | {name: json.loads(part) for part, name in shared.items()}


def _form(node: Json, shared: dict[str, str], name: str = "") -> Json:
    if "$ref" in node:
        return {"$ref": str(node["$ref"]).replace("/Column", "/C_Column")}
    is_column = node.get("format") == "column" or (name == "by" and node.get("type") == "string")
    if is_column or name == "input":
        return {"$ref": "#/$defs/Column" if is_column else "#/$defs/Input"}
    if name in _LISTS:
        inner = node["additionalProperties"]
        value = _form(inner.get("items", inner), shared)
        pair = _object(column={"$ref": "#/$defs/Column"}, **{_LISTS[name]: value})
        return _once(_array(pair), shared)
    if arms := node.get("anyOf") or node.get("oneOf"):
        return _choice(cast("list[Json]", arms), shared, name)
    if node.get("type") == "object":
        return _fields(node, shared)
    kept = ("type", "enum", "const", "minimum", "maximum")
    form = {key: node[key] for key in kept if key in node}
    if form == {"type": "string"}:
        form = _string(_LONGEST_VALUE)
    elif form.get("type") == "array":
        form = _array(_form(node["items"], shared, name), node.get("minItems", 0))
    return _once(form, shared)


def _choice(arms: Sequence[Json], shared: dict[str, str], name: str) -> Json:
    if {arm.get("type") for arm in arms} >= {"string", "integer", "number", "boolean"}:
        nullable = [arm for arm in arms if arm.get("type") == "null"]
        return {"anyOf": [{"$ref": "#/$defs/Value"}, *nullable]}
    flat = [inner for arm in arms for inner in arm.get("oneOf", [arm])]
    return _once({"anyOf": [_form(arm, shared, name) for arm in flat]}, shared)


def _fields(node: Json, shared: dict[str, str]) -> Json:
    fields = {name: each for name, each in node["properties"].items() if name not in _LEFT_OUT}
    needed = dict.fromkeys([*(tag for tag in _TAGS if tag in fields), *node.get("required", [])])
    order = dict.fromkeys([*needed, *fields])
    return _object(**{n: _form(fields[n], shared, n) for n in order}) | {"required": [*needed]}


def _once(form: Json, shared: dict[str, str]) -> Json:
    """A long part stands once, under a name of its own."""
    text = json.dumps(form)
    if len(text) < _SHORT:
        return form
    return {"$ref": f"#/$defs/{shared.setdefault(text, f'Part{len(shared) + 1}')}"}


_WHOLE = 1.0  # the quality of a value that stands in the question as it is, from word to word


class Draft(Made):
    readings: tuple[Offered, ...] = ()
    """The likeliest first."""
    columns: tuple[str, ...] = ()
    """That the question names or the readings use."""
    values: tuple[tuple[str, str], ...] = ()
    """Column and value, as whole words of the question."""


def draft_of(view: View) -> Draft:
    """Pure, and called in a guarded process: the question is a stranger's."""
    dataset = view.dataset
    if dataset is None or not view.questions:
        return Draft()
    with use_language(view.language):
        read = readings_of(view.questions, dataset, int(view.next_result_id[1:]))
        offered = tuple(offered_reading(one, view.language) for one in read.offered)
    found = [
        item for question in view.questions[-3:] for item in items_of(question, scene_of(dataset))
    ]
    senses = [sense for item in found for sense in item.senses]
    values = [sense.value for sense in senses if sense.value is not None]
    named = [
        *(sense.name for sense in senses if sense.kind == "column"),
        *(value.column for value in values),
        *(name for one in offered for spec in one.specs for name in columns_of(spec)),
    ]
    known = {column.name for column in dataset.columns}
    return Draft(
        readings=offered,
        columns=tuple(dict.fromkeys(name for name in named if name in known)),
        values=tuple(dict.fromkeys((v.column, v.value) for v in values if v.quality >= _WHOLE)),
    )


MOST_EXAMPLES, LONGEST_VALUE = 5, 40
FEW = 20  # distinct values up to which a column of words is one of categories
# Tokens: for drafts and described columns, for a second draft, for the names of other columns.
ROOM, ROOM_FOR_DRAFTS, ROOM_FOR_NAMES = 340, 140, 50
_MOST_RESULTS, _MOST_ROWS, _MOST_COLUMNS = 4, 20, 12
_MOST_TURNS, _LONGEST_TURN = 4, 120
_NAMED_BY_CELLS = ("pivot", "cohort")  # cells become names of columns in their results
# All other results may be rows of the table, unless they are made of one of these.
_AGGREGATES = (
    *("groupby_agg", "share_ratio", "pivot", "resample", "compare_periods", "cohort"),
    *("distribution", "correlation_matrix", "compare_groups", "missingness"),
)


class Refused(NamedTuple):
    """A draft that could not be taken, and why."""

    problem: Problem
    reply: str = ""
    spec: AnySpec | None = None


class Brief:
    """On one question about one table."""

    def __init__(self, view: View, dataset: DatasetProfile, draft: Draft) -> None:
        self._view = view
        self._draft = draft
        self._asked = [matching_form(question) for question in view.questions]
        self._rows = dataset.rows
        closed = [column for column in dataset.columns if not self._is_category(column)]
        self._hidden = {value for column in closed for value in column.values}
        self._results = view.results[-_MOST_RESULTS:]
        weights = [_weight(one.model_dump_json(exclude_defaults=True)) for one in draft.readings]
        is_short = sum(weights[:2]) <= ROOM_FOR_DRAFTS
        self._readings = draft.readings[: 2 if is_short else 1]
        self._room = max(ROOM / 2, ROOM - sum(weights[: len(self._readings)]))
        described, named = self._chosen_columns(dataset)
        self._table: Json = {"rows": dataset.rows, "columns": described}
        if named:
            self._table["further_columns"] = named
        if left_out := len(dataset.columns) - len(described) - len(named):
            self._table["columns_left_out"] = left_out
        own = [str(each["name"]) for each in described]
        of_results = [name for each in self._results for name in _columns_of(each)]
        self.columns = tuple(dict.fromkeys([*own, *named, *of_results]))  # that can be named
        self.values = tuple(value for _, value in draft.values if self.may_say(value))
        first = int(view.next_result_id[1:])
        self.new = tuple(f"r{first + number}" for number in range(MOST_SPECS))
        self.inputs = (DATASET, *(each.result_id for each in view.results), *self.new[:-1])

    def may_say(self, value: str) -> bool:
        """Whether this cell may be told: one of few categories, or the person's own word."""
        form = matching_form(value)
        return value not in self._hidden or any(form in question for question in self._asked)

    def text(self, refused: Refused | None) -> str:
        """One JSON document between its marks. Nothing inside can close them."""
        told: Json = {
            "results": [self._result(each) for each in self._results],
            "earlier": self._earlier(),
            "drafts": self._drafts(),
            "refused": None if refused is None else self._refused(refused),
        }
        rest = [f',\n"{name}": {_json(each)}' for name, each in told.items() if each]
        table = _json(self._table).replace('{"name"', '\n{"name"')  # one column a line
        return between_marks(f'{{"table": {table}{"".join(rest)}}}')

    # ---- columns ----

    def _chosen_columns(self, dataset: DatasetProfile) -> tuple[list[Json], list[str]]:
        """Described, and named alone: the question's own come first."""
        forms = {column.name: self._column(column) for column in dataset.columns}
        described: set[str] = set()
        named: list[str] = []
        room, room_for_names = self._room, float(ROOM_FOR_NAMES)
        for name in sorted(forms, key=lambda name: name not in self._draft.columns):
            room -= _weight(_json(forms[name]))
            if room >= 0 or not described:
                described.add(name)
                continue
            room_for_names -= _weight(name) + 1
            if room_for_names >= 0:
                named.append(name)
        return [form for name, form in forms.items() if name in described], named

    def _column(self, column: ColumnProfile) -> Json:
        told: Json = {"name": column.name, "type": column.type}
        if column.is_identifier:
            told["id"] = True
        if column.unit:
            told["unit"] = cut(column.unit, LONGEST_VALUE)
        is_measured = column.is_numeric or column.is_temporal
        if is_measured and column.minimum is not None and not column.is_identifier:
            told |= {"from": column.minimum, "to": column.maximum}
        asked = [v for name, v in self._draft.values if name == column.name and self.may_say(v)]
        examples = column.values[:MOST_EXAMPLES] if self._is_category(column) else ()
        if values := [cut(value, LONGEST_VALUE) for value in dict.fromkeys([*asked, *examples])]:
            told["values"] = values
        if not is_measured and column.distinct > len(values):
            told["distinct"] = column.distinct
        return told

    def _is_category(self, column: ColumnProfile) -> bool:
        """Few words that come again and again; not names, notes or numbers of somebody."""
        if column.type not in ("text", "boolean") or column.is_identifier:
            return False
        is_few = column.distinct <= min(FEW, (self._rows - column.missing) / 2)
        return is_few and all(len(value) <= LONGEST_VALUE for value in column.values)

    # ---- what was done, said and drafted ----

    def _spec(self, spec: AnySpec) -> Json:
        return written(spec, self.columns, self.may_say)

    def _result(self, result: ResultView) -> Json:
        told: Json = {"id": result.result_id, "spec": self._spec(result.spec)}
        return told | ({"columns": columns} if (columns := _columns_of(result)) else {})

    def _earlier(self) -> list[Json]:
        """Questions, ours too where they quote no closed cell; never an answer, which has cells."""
        kept = [
            {"question" if turn.role == "user" else "asked_back": cut(turn.text, _LONGEST_TURN)}
            for turn in self._view.turns[:-1]
            if turn.role == "user" or (turn.is_question and not self._quotes(turn.text))
        ]
        return kept[-_MOST_TURNS:]

    def _quotes(self, text: str) -> bool:
        return any(value in text and not self.may_say(value) for value in self._hidden)

    def _drafts(self) -> list[Json]:
        return [
            {"draft": number, "specs": [self._spec(spec) for spec in one.specs]}
            | ({"unread_words": list(one.unread)} if one.unread else {})
            for number, one in enumerate(self._readings, start=1)
        ]

    def _refused(self, refused: Refused) -> Json:
        """Of a problem's words only those that stand in the draft, and names of columns."""
        said = _json(self._spec(refused.spec)) if refused.spec is not None else refused.reply
        problem = refused.problem
        told: Json = {"draft": cut(said, 1500), "problem": problem.text_id}
        words = {name: each for name, each in problem.params.items() if isinstance(each, str)}
        open_words = {n: each for n, each in words.items() if each in self.columns or each in said}
        if open_words == words:
            english = problem.in_language("en")
            told["reason"] = f"{english.message} {english.hint or ''}".strip()
        told |= open_words
        if isinstance(errors := problem.details.get("errors"), str):
            told["errors"] = cut(errors, 600)
        if isinstance(candidates := problem.details.get("candidates"), list):
            told["candidates"] = [each for each in candidates if self.may_say(str(each))]
        return told


def _columns_of(result: ResultView) -> list[str]:
    if result.spec.type == "plot" or result.spec.op in _NAMED_BY_CELLS:
        return []
    return [column.name for column in result.profile.columns][:_MOST_COLUMNS]


def result_block(view: View) -> str:
    """For who words a conclusion: aggregates at full precision; rows of the table never."""
    made = {each.result_id: each for each in view.results}
    told = [
        {
            "title": table.title,
            "columns": [f"{each.label} ({each.kind} {each.unit})" for each in table.columns],
            "rows": [list(row) for row in table.rows[:_MOST_ROWS]],
            "row_count": table.row_count,
            "findings": list(result.findings),
        }
        for result in view.done[-_MOST_RESULTS:]
        if _is_aggregate(result.spec, made)
        for table in result.tables[:3]
    ]
    return between_marks(_json({"results": told}))


def _is_aggregate(spec: AnySpec, made: Mapping[str, ResultView]) -> bool:
    if (source := made.get(spec.input)) is not None and _is_aggregate(source.spec, made):
        return True
    return KINDS[spec.kind].numbers != "points" if spec.type == "plot" else spec.op in _AGGREGATES


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _weight(text: str) -> float:
    """Tokens, about: a Japanese character is more than half of one, a Latin one a quarter."""
    wide = sum(not letter.isascii() for letter in text)
    return wide / 1.5 + (len(text) - wide) / 4
