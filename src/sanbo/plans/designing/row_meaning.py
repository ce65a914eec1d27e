"""The likeliest meaning of a clause about rows, and which rows stay."""

import re

from sanbo.agents.analysis.rules.scene import scene_of
from sanbo.language.figures import find as figures_in
from sanbo.plans.designing import row_steps
from sanbo.plans.designing.draft import Rows
from sanbo.plans.designing.row_reading import (
    Condition,
    RowReading,
    amount_column,
    columns_named,
    read_rows,
)
from sanbo.plans.designing.sources import (
    name_parts,
)
from sanbo.plans.designing.vocabulary import (
    acts_in,
    find,
    has,
    language_of,
    plain,
    without,
)
from sanbo.plans.designing.work import Work

_FORMATS = re.compile(
    r"(?:\b(?:in|to|into|as|an?|new|the|own|their)\s){0,4}"
    r"(?:excel|エクセル|xlsx|csv|zip|spreadsheet|workbook|ブック)"
    r"(?: file| sheet| list| workbook| table)?s?(?:ファイル|形式)?(?:の一覧|の表)?(?:に|で|"
    r"の|を|へ|から)?"
)


def without_sources(work: Work, clause: str) -> str:
    """Without names of files and formats."""
    said = plain(clause)
    for source in work.sources:
        for name in (plain(source.label), *name_parts(source.label)):
            if language_of(name) == "ja" and len(name) > 1 and not _is_column(work, name, said):
                said = re.sub(
                    rf"{re.escape(name)}(?:一覧|データ|リスト)?(?:の|と)?(?:csv|excel|ファイル|データ)?(?:から|を|で|の中から|について|には|は|が)?、?",
                    " ",
                    said,
                )
    said = _FORMATS.sub(" ", said)
    return re.sub(r"\s+", " ", said).strip(" 、,.")


def _is_column(work: Work, name: str, said: str) -> bool:
    known = [column for one in work.tables if one.made for column in one.made.columns]
    return any(name in plain(column) and plain(column) in said for column in known)


def fitting_reading(rows: Rows, text: str, original: str = "") -> RowReading:
    """The likeliest meaning of a phrase that leaves some rows."""
    known = rows.profile if text.strip() else None  # none where no row of the sample is left
    found = list(read_rows(text, known)) if known is not None else []
    if known is None or not found:
        return RowReading([], [], [], None, False, [])
    for reading in found:
        kept = [one for one in reading.conditions if _is_meant(one, original or text)]
        quoted = {
            one["field"]
            for one in kept
            if "field" in one and f"「{one.get('value')}」" in plain(text)
        }
        kept = [
            one
            for one in kept
            if one.get("field") not in quoted or f"「{one.get('value')}」" in plain(text)
        ]
        if kept and (reading.groups or reading.measures or found[0].groups == reading.groups):
            left = rows.samples.perform(
                "_probe", "transforms.filter", {"items": rows.sample, "conditions": kept}
            )
            if left is None or left["filtered"] or not rows.sample:
                return reading._replace(conditions=kept)
    amount = amount_column(known) if _BOUND.search(text) else None
    if amount and amount not in text and not original.startswith(amount):
        said = f"{amount}が{text}" if language_of(text) == "ja" else f"{amount} {text}"
        return fitting_reading(rows, said, f"{amount} {original}")
    return found[0]._replace(conditions=[])


_BOUND = re.compile(
    r"(?<![\d,.])\d[\d,.]{0,14}[万千億]?円?(?:以上|以下|未満|超|を超え)|"
    r"(?:over|under|more than|less than|at least|at most|above|below|exceed[a-z]{0,4}) [$£€]?\d"
)


def _is_meant(condition: Condition, original: str) -> bool:
    """The value IT is not the word it."""
    value = condition.get("value")
    if isinstance(value, str) and value.isascii() and value.isalpha() and len(value) < 4:
        return value in original or f"「{value}" in plain(original)
    return True


def kept_rows(
    work: Work, rows: Rows, reading: RowReading, told: tuple[str, str], *, is_sure: bool
) -> Rows:
    """Rows that are meant; the others, where leaving out changed nothing in the reading."""
    clause, text = told
    said = plain(clause)
    is_filtering = (
        is_sure
        or bool(acts_in(f" {said} ") & {"filter", "write", "measure", "group"})
        or has("excludes", said)
        or any(one.get("operator") not in ("eq", "contains") for one in reading.conditions)
    )
    if work.is_paired and _tells_pairs(said):
        return rows
    conditions, port = reading.conditions, "filtered"
    if has("excludes", said) and text.strip() and not _ONLY.search(said):
        inner = fitting_reading(rows, without(text, ("excludes",)), clause).conditions
        if inner and conditions in ([], inner):
            conditions, port = inner, "excluded"
    if not conditions or not is_filtering:
        return rows
    for one in conditions:
        if one.get("operator") in ("gt", "gte", "lt", "lte") and "value_field" not in one:
            tell_guess(work, rows, one["field"], said)
    return row_steps.keep(work.draft, rows, conditions, port)


_ONLY = re.compile("だけ|のみ|限|\\bonly\\b|\\bjust\\b")


def _tells_pairs(said: str) -> bool:
    return bool(
        find("nothing_changed", said)
        or find("unmatched", said)
        or find("sides", said)
        or re.search("差異|合わない|違う|異な|differ|mismatch|tie out", said)
    )


def tell_guess(work: Work, rows: Rows, column: str, said: str, *, is_named: bool = False) -> None:
    """A column of figures that the words do not name, where others could be meant."""
    if rows.profile is None or is_named or column in columns_named(said, rows.profile):
        return
    scene = scene_of(rows.profile)
    kinds = {
        one.name: scene.columns[one.name].is_money
        for one in rows.profile.columns
        if one.is_numeric and not one.is_identifier
    }
    is_money = any(one.kind == "money" for one in figures_in(said)) or has("money", said)
    others = [
        name
        for name, kind in kinds.items()
        if name != column and (kind == kinds.get(column) or not is_money)
    ]
    if others:
        names = work.draft.say("comma").join(others)
        work.draft.leave_open(work.draft.say("open.guess", column=column, others=names, text=said))
