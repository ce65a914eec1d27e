"""A document's record by rules: every field from its label, or left open and said so.

A list of items comes from the rows of a table whose columns are the fields that are wanted.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from pydantic import JsonValue

from sanbo.blocks.ai.findings import Conflict, Place, Record, place_of
from sanbo.blocks.ai.labels import (
    LABELS,
    LONGEST_LABEL,
    Candidate,
    Cell,
    Concept,
    Row,
    addressee,
    candidates,
    concept_of,
    label_form,
    labels_of,
    name_alone,
    rows_of,
    sender,
)
from sanbo.blocks.ai.shapes import Shape, Wanted
from sanbo.blocks.ai.values import Found, as_amount, find_date, plain
from sanbo.documents.model import Document, Table
from sanbo.language.cells import parse_boolean

# ---- a piece of text as a field wants it ---------------------------------------------------------


_PATTERNS: dict[Concept, re.Pattern[str]] = {
    "registration": re.compile(r"(?<![A-Za-z0-9])T[\s\-]?(?:[0-9][\s\-]?){12}[0-9](?![0-9])"),
    "account": re.compile(r"(?<![0-9\-])[0-9]{6,8}(?![0-9\-])"),
    "phone": re.compile(r"(?<![0-9])\(?0[0-9]{1,4}\)?[\-\s]?[0-9]{1,4}[\-\s][0-9]{3,4}(?![0-9])"),
    "email": re.compile(r"[A-Za-z0-9._%+\-]{1,64}@[A-Za-z0-9.\-]{1,190}\.[A-Za-z]{2,20}"),
    "postal": re.compile(r"(?<![0-9])[0-9]{3}-[0-9]{4}(?![0-9])"),
    "invoice_number": re.compile(
        r"(?=[A-Za-z\-_/]{0,39}[0-9])[A-Za-z0-9](?:[A-Za-z0-9\-_/]{0,38}[A-Za-z0-9])?"
    ),
}
ACCOUNT_BESIDE_KIND = re.compile(
    r"(?:普通|当座|貯蓄)(?:預金)?(?:口座)?\s*+(?:(?:no\.?|番号)\s*+)?(?:[:：]\s*+)?"
    r"(?P<number>[0-9]{6,8})(?![0-9\-])",
    re.IGNORECASE,
)
_DATED = re.compile(r"(?:日|期限|期日|date|deadline|_on|_at)$", re.IGNORECASE)
_RATE = re.compile(r"率|割合|rate|percent|ratio", re.IGNORECASE)
_HONORIFIC = re.compile(r"(?<!\s)\s*+(?:御中|様|殿)$")
_LONGEST_TEXT = 200
PARTIES: frozenset[Concept] = frozenset({"issuer", "customer", "counterparty"})
DATES: frozenset[Concept] = frozenset({"due_date", "invoice_date"})
AMOUNTS: frozenset[Concept] = frozenset({"billed", "subtotal", "tax"})
ONLY_BY_PATTERN: frozenset[Concept] = frozenset({"registration", "email", "postal"})
"""Their look alone tells what they are, also without a label."""


@dataclass(frozen=True)
class ReadValue:
    value: JsonValue
    text: str


def read_as(wanted: Wanted, concept: Concept | None, text: str) -> ReadValue | None:
    if wanted.enum:
        return _choice(wanted, text)
    match wanted.kind:
        case "number" | "integer":
            return _number(wanted, text)
        case "boolean":
            return _truth(text)
        case "date" | "datetime":
            return _dated(find_date(text))
        case "string":
            return _text(wanted, concept, text)
        case _:
            return None


def _number(wanted: Wanted, text: str) -> ReadValue | None:
    found = as_amount(text, counted=True, rate=bool(_RATE.search(wanted.name)))
    if found is None or isinstance(found.value, str | date):
        return None
    value = found.value
    # pyrefly: ignore[missing-attribute]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if wanted.kind == "integer" and not isinstance(value, int):
        return None
    return ReadValue(value, found.text)


def _truth(text: str) -> ReadValue | None:
    said = plain(text).strip()
    value = parse_boolean(said)
    return None if value is None else ReadValue(value, said)


def _dated(found: Found | None) -> ReadValue | None:
    if found is None or not isinstance(found.value, date):
        return None
    return ReadValue(found.value.isoformat(), found.text)


def _choice(wanted: Wanted, text: str) -> ReadValue | None:
    form = label_form(text)
    for each in wanted.enum:
        if label_form(str(each)) == form:
            return ReadValue(each, text)
    return None


def _text(wanted: Wanted, concept: Concept | None, text: str) -> ReadValue | None:
    said = text.strip()
    if concept in DATES or (concept is None and _DATED.search(wanted.name)):
        return _dated(find_date(said))
    if concept in AMOUNTS:
        found = as_amount(said)
        return ReadValue(found.text, found.text) if found else None
    if concept in _PATTERNS:
        match = _PATTERNS[concept].search(plain(said))
        return ReadValue(match.group().strip(), match.group()) if match else None
    if concept in PARTIES:
        said = name_alone(_HONORIFIC.sub("", said))
        # A number or a date beside "取引先" is something else's.
        if as_amount(said) or find_date(said):
            return None
    if not said or len(said) > _LONGEST_TEXT:
        return None
    return ReadValue(said, said)


# ---- rows of tables ------------------------------------------------------------------------------


_TOTAL_WORDS = ("小計", "合計", "総計", "計", "消費税", "税込合計", "subtotal", "total", "tax")
_TOTALS = frozenset(label_form(each) for each in _TOTAL_WORDS)
_LEAST_SHARE = 0.5


def items_in(document: Document, fields: Sequence[Wanted]) -> list[JsonValue]:
    """The rows of the table that has the most of these columns."""
    best = _best(document, fields)
    if best is None:
        return []
    table, columns = best
    return [dict(record.values) for record in _records(document, table, columns, fields)]


def records_in(document: Document, fields: Sequence[Wanted]) -> list[Record]:
    best = _best(document, fields)
    if best is None:
        return []
    table, columns = best
    if len(columns) < min(2, len(fields)):
        return []
    return _records(document, table, columns, fields)


def _best(document: Document, fields: Sequence[Wanted]) -> tuple[Table, dict[str, int]] | None:
    found = [
        (table, _columns(table, fields)) for table in document.tables if table.columns is not None
    ]
    fitting = [each for each in found if len(each[1]) >= max(1, len(fields) * _LEAST_SHARE)]
    return max(fitting, key=lambda each: len(each[1]), default=None)


def _columns(table: Table, fields: Sequence[Wanted]) -> dict[str, int]:
    heads = [label_form(each) for each in table.columns or ()]
    placed: dict[str, int] = {}
    for wanted in fields:
        for label in _labels(wanted):
            if label in heads and heads.index(label) not in placed.values():
                placed[wanted.name] = heads.index(label)
                break
    return placed


def _labels(wanted: Wanted) -> list[str]:
    name = label_form(wanted.name)
    also = [
        label_form(each)
        for labels in LABELS.columns.values()
        if name in map(label_form, labels)
        for each in labels
    ]
    return list(dict.fromkeys((name, *also, *labels_of(wanted))))


def _records(
    document: Document, table: Table, columns: dict[str, int], fields: Sequence[Wanted]
) -> list[Record]:
    made: list[Record] = []
    for cells, start in zip(table.rows, table.row_starts, strict=True):
        if any(label_form(cell) in _TOTALS for cell in cells):
            continue
        values: dict[str, JsonValue] = {}
        sources: dict[str, Place] = {}
        for wanted in fields:
            column = columns.get(wanted.name)
            cell = cells[column] if column is not None and column < len(cells) else ""
            read = read_as(wanted, concept_of(wanted), cell) if cell.strip() else None
            values[wanted.name] = read.value if read else None
            if read:
                at = document.text.find(cell, start)
                sources[wanted.name] = place_of(document, max(at, start), cell)
        if sources:
            made.append(Record(values=values, sources=sources))
    return made


# ---- records -------------------------------------------------------------------------------------


CUSTOMER, ISSUER = Wanted("customer", "string"), Wanted("issuer", "string")
Located = tuple[ReadValue, int]
"""A value and where its piece of text begins."""


def extract_records(document: Document, shape: Shape) -> list[Record]:
    """One record a document; with `items`, one a row where a table has the fields as columns."""
    rows = rows_of(document)
    if shape.many and (found := records_in(document, shape.asked)):
        return found
    return [_record(document, rows, shape.asked)]


def extract_fields(document: Document, fields: Sequence[Wanted]) -> Record:
    return _record(document, rows_of(document), fields)


def _record(document: Document, rows: Sequence[Row], fields: Sequence[Wanted]) -> Record:
    names = {wanted.name: labels_of(wanted) for wanted in fields}
    every = frozenset(label for labels in names.values() for label in labels)
    every |= frozenset((*labels_of(CUSTOMER), *labels_of(ISSUER)))
    found = list(candidates(rows, every))
    values: dict[str, JsonValue] = {}
    sources: dict[str, Place] = {}
    conflicts: list[Conflict] = []
    for wanted in fields:
        if wanted.kind == "array" and wanted.fields:
            values[wanted.name] = items_in(document, wanted.fields)
            continue
        located, said = _field(wanted, names[wanted.name], found, rows)
        values[wanted.name] = located[0].value if located else None
        if located:
            sources[wanted.name] = place_of(document, located[1], located[0].text)
        elif len(said) > 1:
            conflicts.append(Conflict(field=wanted.name, values=list(said)))
    return Record(values=values, sources=sources, conflicts=tuple(conflicts))


def _field(
    wanted: Wanted, labels: Sequence[str], found: Sequence[Candidate], rows: Sequence[Row]
) -> tuple[Located | None, list[JsonValue]]:
    """The value under the surest label; nothing, and what it might be, where that says several."""
    concept = concept_of(wanted)
    rank = {label: number for number, label in enumerate(labels)}
    by_label: dict[int, dict[str, tuple[ReadValue, Candidate]]] = {}
    seen: set[tuple[int, str]] = set()
    for each in sorted(
        (each for each in found if each.label in rank),
        key=lambda each: (rank[each.label], each.order, each.nearness),
    ):
        if (each.order, each.label) in seen:
            continue  # what stands beside a label is its value, not also what stands below
        read = read_as(wanted, concept, each.value.text)
        if read is None:
            continue
        seen.add((each.order, each.label))
        by_label.setdefault(rank[each.label], {}).setdefault(repr(read.value), (read, each))
    for number in sorted(by_label):
        said = by_label[number]
        if len(said) == 1:
            [(read, each)] = said.values()
            return (read, each.value.start), []
        return None, [read.value for read, _ in said.values()]
    if concept in PARTIES and wanted.kind == "string":
        return _party(concept, rows, found)
    return _by_look(wanted, concept, rows) or _under_a_longer_label(wanted, concept, rows), []


_WORD = re.compile(r"[a-z]{3,20}|[一-龠ァ-ヶー]{2,20}")
_VOID = frozenset(("the", "number", "番号", "total", "合計"))
_CODE = re.compile(r"(?=[^\s]{0,20}\d)[A-Za-z0-9][A-Za-z0-9/_-]{2,30}")

_FIGURE = re.compile(r"[\d,]{1,20}(?:\.\d{1,6})?(?= ?[a-z]{1,4}\.?$)", re.IGNORECASE)


def _under_a_longer_label(
    wanted: Wanted, concept: Concept | None, rows: Sequence[Row]
) -> Located | None:
    """weight under `Gross weight`, number in `DELIVERY NOTE DN-4401`; the only date there is."""
    words = (
        {word.removesuffix("番号") for word in _WORD.findall(label_form(wanted.name))}
        - _VOID
        - {""}
    )
    is_code = bool(re.search("番号|number|no$|code|id$", label_form(wanted.name)))
    name = label_form(wanted.name)
    pieces = [
        (label_form(before), value) for row in rows for before, value in _labelled_pieces(row)
    ]
    fitting = [piece for piece in pieces if name in piece[0]]
    fitting = fitting or [
        piece for piece in pieces if words and all(word in piece[0] for word in words)
    ]
    looks: dict[object, Located] = {}
    for _, value in fitting:
        code = _CODE.search(value.text)
        if is_code and code is None:
            continue
        said = code[0] if is_code and code else value.text
        figure = _FIGURE.match(said) if wanted.kind in ("number", "integer") else None
        if (read := read_as(wanted, concept, figure[0] if figure else said)) is not None:
            looks.setdefault(read.value, (read, value.start))
    if not looks and wanted.kind == "date" and label_form(wanted.name) in ("date", "日付"):
        for row in rows:
            for cell in row.cells:
                if (read := read_as(wanted, concept, cell.text)) is not None:
                    looks.setdefault(read.value, (read, cell.start))
    return next(iter(looks.values())) if len(looks) == 1 else None


def _labelled_pieces(row: Row) -> Iterator[tuple[str, Cell]]:
    """What may be a label with the value behind it: beside each other, or in one line."""
    for one, other in pairwise(row.cells):
        if one.text and other.text:
            yield one.text, other
    for cell in row.cells:
        head, sign, rest = cell.text.replace("：", ":").partition(":")
        if not sign:
            head, _, rest = cell.text.rpartition(" ")
        if head and rest.strip() and len(head) <= LONGEST_LABEL:
            yield head, Cell(rest.strip(), cell.start + cell.text.find(rest.strip()))


def _party(
    concept: Concept | None, rows: Sequence[Row], found: Sequence[Candidate]
) -> tuple[Located | None, list[JsonValue]]:
    """By the forms of address; which of two is the other side, nobody but the reader knows."""
    to = addressee(rows) or _labelled(CUSTOMER, found)
    by = _labelled(ISSUER, found) or sender(rows, to)
    sides = {"customer": [to], "issuer": [by], "counterparty": [to, by]}
    cells = sides[concept or "counterparty"]
    named = [cell for cell in cells if cell is not None]
    if len(named) == 1:
        return (ReadValue(named[0].text, named[0].text), named[0].start), []
    return None, [cell.text for cell in named]


def _labelled(wanted: Wanted, found: Sequence[Candidate]) -> Cell | None:
    labels = labels_of(wanted)
    for each in found:
        read = read_as(wanted, concept_of(wanted), each.value.text)
        if each.label in labels and read is not None:
            return Cell(str(read.value), each.value.start)
    return None


def _by_look(wanted: Wanted, concept: Concept | None, rows: Sequence[Row]) -> Located | None:
    """Without a label: numbers that look like nothing else."""
    if wanted.kind != "string" or wanted.enum:
        return None
    if concept == "account":
        return _account(rows)
    if concept not in ONLY_BY_PATTERN:
        return None
    looks: Mapping[object, tuple[ReadValue, Cell]] = {
        read.value: (read, cell)
        for row in rows
        for cell in row.cells
        if (read := read_as(wanted, concept, cell.text)) is not None
    }
    if len(looks) != 1:
        return None
    [(read, cell)] = looks.values()
    return read, cell.start


def _account(rows: Sequence[Row]) -> Located | None:
    """`普通 1234567`, in one cell or in two."""
    found: dict[str, Located] = {}
    for row in rows:
        for cell, after in zip(row.cells, (*row.cells[1:], None), strict=True):
            said = plain(f"{cell.text} {after.text}" if after else cell.text)
            if match := ACCOUNT_BESIDE_KIND.search(said):
                number = match["number"]
                found.setdefault(number, (ReadValue(number, match.group()), cell.start))
    return next(iter(found.values())) if len(found) == 1 else None
