"""Every word of an instruction is answered by what the plan's steps do, or is an open point."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from sanbo.agents.analysis.mentions import lexicon
from sanbo.agents.analysis.mentions.finding import items_of
from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.agents.analysis.mentions.tokens import Token, tokens
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.language.english import is_empty
from sanbo.language.figures import Figure
from sanbo.language.figures import find as figures_in
from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.sources import Source, name_parts
from sanbo.plans.designing.wording import (
    answers,
    clauses,
    ending_of,
    format_mentions,
    found_in,
    has,
    is_concept,
    is_note,
    plain,
    words,
)

Node = Mapping[str, Any]
_NUMBER = re.compile(r"(?<![\w.-])\d{1,15}(?:\.\d{1,9})?(?![\w-])")
_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_TEXT = re.compile(r'"((?:[^"\\]|\\.){1,200})"')
_SIGNS = {
    ">=": "gte", "<=": "lte", ">": "gt", "<": "lt", "!=": "exclude", " ? ": "choice",
    "abs(": "absolute", "round(": "round", "isEmpty(": "empty", "daysBetween(": "days",
    " * ": "times", " / ": "divide", " - ": "minus", " + ": "plus", "!isEmpty(": "filled",
}  # fmt: skip
_OPERATORS = {
    "ne": ("exclude",), "not_in": ("exclude",), "not_contains": ("exclude",),
    "not_between": ("exclude",), "between": ("gte", "lte"), "eq": ("equals",), "in": ("equals",),
}  # fmt: skip
_BLOCKS = {
    "transforms.union": "union", "transforms.flatten_items": "union",
    "transforms.distinct": "distinct", "transforms.limit": "limit",
    "transforms.compute": "compute", "control.sampling": "sample",
    "data.quality.validate_rules": "check", "matching.reconcile": "pair",
    "file.fill_template": "fill", "file.write_csv": "csv", "excel.write": "excel",
    "file.parse_zip_2tier": "zip", "file.read_mail": "mail", "ai.process_llm": "documents",
}  # fmt: skip
_NAMED = frozenset(("aggregations", "columns", "rename", "data", "features", "output_schema"))
"""Whose keys are names of columns, sheets or places."""
_SETTINGS = frozenset(("op", "operator", "mode", "strategy", "aggfunc", "prompt", "types"))
_JOINS = {"all": "pair", "anti": "lacking", "left": "lookup"}


@dataclass
class Deeds:
    """Of some of a plan's nodes."""

    facts: set[str] = field(default_factory=set[str])
    texts: set[str] = field(default_factory=set[str])
    """Names and values in plain form: of columns, sheets, roles."""
    numbers: set[float] = field(default_factory=set[float])
    days: set[tuple[int, int, int]] = field(default_factory=set[tuple[int, int, int]])

    def __or__(self, other: "Deeds") -> "Deeds":
        return Deeds(
            self.facts | other.facts,
            self.texts | other.texts,
            self.numbers | other.numbers,
            self.days | other.days,
        )


def deeds_of(nodes: Iterable[Node], whole: str) -> Deeds:
    """`whole` is all of the plan: which port of a step others take stands there."""
    made = Deeds()
    for node in nodes:
        for inner in _with_body(node):
            given = cast("Mapping[str, Any]", inner.get("in", {}))
            made.facts |= set(_facts(inner, given))
            if f"{node['id']}.excluded}}" in whole:
                made.facts.add("exclude")
            for text in _scalars((given, inner.get("when"))):
                _tell(made, text)
    made.texts.discard("")
    return made


def _with_body(node: Node) -> Iterator[Node]:
    yield node
    if node.get("type") == "loop":
        yield from node["body"]["plan"]["graph"]


def _facts(node: Node, given: Mapping[str, Any]) -> Iterator[str]:
    block = str(node.get("block", "loop"))
    yield block
    if known := _BLOCKS.get(block):
        yield known
    if "when" in node:
        yield "condition"
    match block:
        case "transforms.group_by_agg":
            yield from ["group"] * ("by" in given)
            yield from (str(one["op"]) for one in given["aggregations"].values())
        case "table.pivot":
            how = str(given["aggfunc"])
            yield from ("group", "pivot", {"mean": "avg"}.get(how, how))
        case "transforms.filter":
            yield "filter"
            yield from _operators(given["conditions"])
        case "transforms.sort":
            yield from ("sort", "descending" if given["descending"] else "ascending")
        case "transforms.join":
            yield _JOINS[given["strategy"]]
        case "transforms.rename_fields":
            yield from ["pick"] * (given.get("mode") == "only")
        case "transforms.compute_features":
            ops = [str(one["op"]) for one in given["config"]["features"].values()]
            yield from ("repeated" if op == "occurrences" else "unit" for op in ops)
        case "ui.interactive_input":
            yield "approve" if given["mode"] == "confirm" else "ask"
        case "excel.write":
            yield from ["sheets"] * (len(given["data"]) > 1)
        case _:
            pass


def _operators(conditions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for one in conditions:
        for several in ("any", "all"):
            yield from _operators(one.get(several, ()))
        if operator := one.get("operator"):
            yield str(operator)
            yield from _OPERATORS.get(operator, ())
            yield from ["compare"] * ("value_field" in one)


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for key, one in cast("Mapping[str, Any]", value).items():
            if key in _NAMED and isinstance(one, Mapping):
                yield from cast("Mapping[str, Any]", one)
            if key not in _SETTINGS:
                yield from _scalars(one)
    elif isinstance(value, list | tuple):
        for one in cast("Sequence[Any]", value):
            yield from _scalars(one)
    elif value is not None:
        yield value


def _tell(made: Deeds, value: Any) -> None:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        made.numbers.add(float(value))
        return
    text = re.sub(r"\$\{[^{}]{1,200}\}", " ", str(value)).strip()
    made.facts |= {fact for sign, fact in _SIGNS.items() if sign in text}
    made.numbers |= {float(one) for one in _NUMBER.findall(text)}
    made.days |= {(int(year), int(month), int(day)) for year, month, day in _DAY.findall(text)}
    made.texts |= {plain(one) for one in (text, *_TEXT.findall(text), *re.findall(r"\w+", text))}


_GOOD = 0.75
"""How well a phrase must fit a heading or a value."""
_ESSENTIAL = frozenset(("ごと", "毎", "だけ", "のみ", "per", "only", "not", "without"))
"""Words of grammar that change what comes out."""
_FACTUAL = re.compile(r"\d[\d.,]{0,15}|「[^「」]{1,40}」|\"[^\"]{1,40}\"")
_POLAR = frozenset(("未", "済", "済み", "済む", "非", "不", "無", "外", "総", "他", "別"))
"""受講済, 未払: parts of names that turn what they stand beside."""
_COUNTED = re.compile(
    r"\s?(?:つ|人|名|行|枚|通|本|冊|列|項目|社|拠点|(?:people|columns?|files?|lists?|sheets?)\b)"
)
_COLUMN = re.compile(
    r"(?:「([^「」]{1,30})」|([一-龠ァ-ヶーa-z0-9]{1,20}))の?列(?!は)|\b([a-z]{2,20}) columns?\b"
)
_OUTER = frozenset(
    ("excel", "csv", "fill", "sheets", "approve", "ask", "condition", "loop")
) | frozenset(("excel.write", "file.write_csv", "ui.interactive_input"))
"""Facts about what comes out and who is asked: they answer words of any sentence."""
_GRAMMAR = frozenset(
    ("filler", "same", "which", "also", "and_or", "ge", "gt", "le", "empty", "none")
)
_HIRAGANA = re.compile("[ぁ-んー]+")
_WRITTEN = {"excel": "excel", "csv": "csv", "word": "fill"}

Span = tuple[int, int]


class Account:
    """Of one plan: what its steps, sources, questions and files answer."""

    def __init__(self, draft: Draft, sources: Sequence[Source], result: Rows | None) -> None:
        self._draft = draft
        self._sources = [one for one in sources if one.made is not None or one.file is None]
        self._result = {plain(name) for name in result.columns} if result else set[str]()
        self._whole = repr(draft.nodes)
        self._says = {one.id: one.says for one in draft.steps}
        self._all = self._deeds(None)
        self._common = self._deeds("")
        self._common.facts |= self._all.facts & _OUTER
        if any("file" not in each["type"] for each in draft.fields):
            self._common.facts.add("ask")

    def _deeds(self, says: str | None) -> Deeds:
        """Of the steps that were made of these words; None: of all."""
        nodes = [
            node
            for node in self._draft.nodes
            if says is None or self._says.get(node["id"], "") == says
        ]
        return deeds_of(nodes, self._whole)

    @cached_property
    def _tables(self) -> list[Rows]:
        return [one.made for one in self._sources if one.made is not None]

    @cached_property
    def _names(self) -> list[str]:
        """Of what the plan is given: files, sheets, headings; what their words name is known."""
        given = [name for one in self._sources for name in (one.label, one.sheet)]
        asked = [str(each["label"]) for each in self._draft.fields]
        return [plain(name) for name in (*given, *asked) if name]

    @cached_property
    def _things(self) -> list[str]:
        """Headings that say what the rows are of, and those that steps use."""
        profiles = [table.profile for table in self._tables if table.profile is not None]
        heads = [one for profile in profiles for one in profile.columns]
        return [
            plain(one.name)
            for one in heads
            if one.type == "text" or one.is_identifier or plain(one.name) in self._all.texts
        ]

    @cached_property
    def _values(self) -> set[str]:
        rows = [row for table in self._tables for row in table.sample]
        return {plain(value) for row in rows for value in row.values() if isinstance(value, str)}

    def unanswered(self, sentence: str) -> list[str]:
        """Words of a sentence that no step answers, as they stand."""
        text = plain(sentence)
        deeds = self._deeds(sentence)
        deeds = (deeds if deeds.facts - _OUTER else self._all) | self._common
        answered = bytearray(len(text))
        for start, end in (
            *self._by_words(text, deeds),
            *self._by_names(text, deeds),
            *self._by_formats(text, deeds),
            *self._by_figures(text, deeds),
        ):
            answered[start:end] = b"\1" * (end - start)
        for start, end in (*self._told(text), *_headed(text, answered)):
            answered[start:end] = b"\1" * (end - start)
        for start, end in self._columns_missing(text, deeds):
            answered[start:end] = bytes(end - start)
        return _phrases(text, [one for one in tokens(text) if _is_lost(one, answered)])

    def _columns_missing(self, text: str, deeds: Deeds) -> Iterator[Span]:
        """A Depot column, 「倉庫」の列: wanted under this name, and not there."""
        for match in _COLUMN.finditer(text):
            number = next(at for at, part in enumerate(match.groups(), 1) if part)
            name = match[number]
            is_there = name in self._result | deeds.texts or any(
                name in plain(column) for table in self._tables for column in table.columns
            )
            is_word = name.isdecimal() or is_empty(name) or has("unsaid", name)
            if not is_there and not is_word:
                yield match.span(number)

    def _told(self, text: str) -> Iterator[Span]:
        """Clauses that tell and ask for nothing, but for figures and what they name."""
        at = 0
        for clause in clauses(text):
            start = text.find(clause, at)
            at = start + len(clause)
            if not is_note(clause) or any(one.is_target for one in format_mentions(clause)):
                continue
            lost = [
                (start + one.start(), start + one.end())
                for one in _FACTUAL.finditer(clause)
                if one[0][1:-1] not in self._values
            ]
            lost += self._unused(text, self._all.texts)
            unused = self._values - self._all.texts - {plain(name) for name in self._names}
            lost += [span for value in unused if value in text for span in _places(value, text)]
            for one in tokens(text):
                is_inside = start <= one.start and one.end <= at
                if is_inside and not any(low < one.end and one.start < high for low, high in lost):
                    yield one.start, one.end

    def _unused(self, text: str, known: set[str]) -> list[Span]:
        """Where headings stand that no step uses."""
        return [
            span
            for table in self._tables
            for name in table.columns
            if plain(name) not in known
            for span in _places(plain(name), text)
        ]

    def _by_words(self, text: str, deeds: Deeds) -> Iterator[Span]:
        said = tokens(text)
        for found in lexicon.find(said):
            if deeds.facts.intersection(answers().get(found.sense, ())):
                yield said[found.start].start, said[found.end - 1].end
        for name, facts in answers().items():
            if is_concept(name) and deeds.facts.intersection(facts):
                yield from ((one.start, _word_end(said, one.end)) for one in found_in(name, text))
        starts = {one.start for one in said}
        for one in found_in("unsaid", text):
            end = _word_end(said, one.end)
            if one.start in starts and (end == one.end or one.word.isascii()):
                yield one.start, end

    def _by_names(self, text: str, deeds: Deeds) -> Iterator[Span]:
        known = deeds.texts
        if any(True for _ in found_in("acts.write", text)):
            known = known | self._result
        lost = self._unused(text, known)
        for name in known:
            yield from _places(name, text)
        for name in self._names:
            for part in (name, *name_parts(name)):
                yield from _places(part, text)
        for table in self._tables:
            if table.profile is not None:
                yield from _meant(text, table.profile, known)
        for one in tokens(text):
            is_lost = any(start < one.end and one.start < end for start, end in lost)
            if not is_lost and any(_is_part(one, name) for name in (*self._names, *self._things)):
                yield one.start, one.end

    def _by_formats(self, text: str, deeds: Deeds) -> Iterator[Span]:
        for one in format_mentions(text):
            is_given = any(source.accept == ending_of(one.name) for source in self._sources)
            if _WRITTEN.get(one.name, one.name) in deeds.facts or (is_given and not one.is_target):
                yield one.start, one.end

    def _by_figures(self, text: str, deeds: Deeds) -> Iterator[Span]:
        asked = [one for one in self._draft.nodes if one["id"].startswith("approve")]
        known = (1, len(self._sources), len(self._result), len(asked))
        counts = {float(one) for one in known}
        for figure in figures_in(text):
            written = text[figure.start : figure.end]
            is_long = len(written) > 3
            is_answered = is_long and any(written in name for name in self._names)
            if figure.kind in ("date", "clock"):
                is_answered |= self._is_dated(figure, deeds)
            if figure.value is not None:
                value = float(figure.value)
                forms = {value, value / 100, 1 + value / 100, 1 - value / 100}
                number_end = figure.numeral.end if figure.numeral else figure.end
                is_counted = written in ("one", "一") or _COUNTED.match(text, number_end)
                is_answered |= bool(is_counted) and value in counts
                is_answered |= any(_is_near(form, deeds.numbers) for form in forms)
            if is_answered:
                yield figure.start, figure.end

    def _is_dated(self, figure: Figure, deeds: Deeds) -> bool:
        """A step asks for these days, or the samples have no others."""
        year, month, day = figure.moment.year, figure.moment.month, figure.moment.day
        quarter = figure.moment.quarter

        def fits(one: tuple[int, int, int]) -> bool:
            return (
                year in (None, one[0])
                and month in (None, one[1])
                and day in (None, one[2])
                and quarter in (None, (one[1] + 2) // 3, (one[1] + 8) // 3 % 4 + 1)
            )

        if any(fits(one) for one in deeds.days):
            return True
        days = [one for table in self._tables for one in _days(table)]
        return all(fits(one) for one in days) and (bool(days) or day is None)


def _days(table: Rows) -> set[tuple[int, int, int]]:
    made: set[tuple[int, int, int]] = set()
    names = [one.name for one in table.profile.columns if one.is_temporal] if table.profile else []
    for row in table.sample:
        for name in names:
            if match := re.match(r"(\d{4})\D(\d{1,2})\D(\d{1,2})", str(row.get(name))):
                made.add((int(match[1]), int(match[2]), int(match[3])))
    return made


def _is_near(number: float, known: set[float]) -> bool:
    return any(abs(number - one) < 1e-9 for one in known)


def _meant(text: str, profile: DatasetProfile, known: set[str]) -> Iterator[Span]:
    """Phrases that mean a column or a value which a step uses."""
    scene = scene_of(profile)
    said = tokens(text, scene.terms)
    for item in items_of(text, scene):
        for sense in item.senses:
            is_name = sense.kind in ("column", "value", "part", "literal")
            if is_name and sense.quality >= _GOOD and plain(sense.name) in known:
                yield said[item.start].start, said[item.end - 1].end


def _places(name: str, text: str) -> Iterator[Span]:
    tight = re.sub(r"\s", "", name)
    if len(tight) < 2 and tight.isascii():
        return
    loose = r"\s?".join(map(re.escape, tight)) if not tight.isascii() else re.escape(name)
    loose = loose.replace("_", "[ _-]")
    pattern = rf"(?<![a-z0-9]){loose}(?:s|es)?(?![a-z0-9])" if name.isascii() else loose
    for match in re.finditer(pattern, text):
        yield match.span()


def _is_part(token: Token, name: str) -> bool:
    """請求 of 請求書: the words of a name say what the rows are."""
    if token.form in _POLAR:
        return False
    if not token.is_japanese:
        return len(token.form) > 2 and token.form in {one.form for one in tokens(name)}
    return token.text in name


def _headed(text: str, answered: bytearray) -> Iterator[Span]:
    """On-hand quantity, 実棚の数: what a column is called once more, behind its name."""
    for one in found_in("heads", text):
        if any(answered[max(0, one.start - 2) : one.start]):
            yield one.start, one.end


def _word_end(said: Sequence[Token], end: int) -> int:
    return next((one.end for one in said if one.start < end <= one.end), end)


def _is_lost(token: Token, answered: bytearray) -> bool:
    if token.is_sign or any(answered[token.start : token.end]):
        return False
    if token.text in _ESSENTIAL:
        return True
    if token.is_japanese and _HIRAGANA.fullmatch(token.text):
        return token.is_content and len(token.text) > 1 and not _is_filler(token.form)
    return token.is_content and (token.is_japanese or not is_empty(token.text))


def _is_filler(form: str) -> bool:
    known = [one.sense for one in lexicon.phrases().get(form, ()) if one.forms == (form,)]
    return any(sense in _GRAMMAR for sense in known) or form in words("grammar", "ja")


def _phrases(text: str, lost: Sequence[Token]) -> list[str]:
    made: list[Span] = []
    for one in lost:
        if made and not text[made[-1][1] : one.start].strip():
            made[-1] = (made[-1][0], one.end)
        else:
            made.append((one.start, one.end))
    return list(dict.fromkeys(text[start:end] for start, end in made))
