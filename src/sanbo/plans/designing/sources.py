"""What is given with an instruction: manuals as text and tables, samples of files, templates.

The sources that a plan reads rows from are among it: CSV, sheets, files in a ZIP, what mails bring,
documents as records.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Literal, NamedTuple

from sanbo.documents.model import Document, Heading
from sanbo.documents.model import Source as GivenSource
from sanbo.documents.model import Table as DocumentTable
from sanbo.documents.reading import Readers
from sanbo.kernel.problems import SanboError
from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.wording import has, language_of, plain

TABLES = (".csv", ".tsv", ".xlsx", ".xlsm")
_KINDS = {".zip": "zip", ".eml": "mail", ".json": "schema"}
_TEXTS = (".docx", ".pdf", ".md", ".txt")
_PLACE = re.compile(r"\{\{\s*([^{}\s][^{}]{0,80}?)\s*\}\}")
_STEPS_OF_A_MANUAL = 2

FileKind = Literal["table", "template", "zip", "mail", "schema", "document"]


class GivenFile(NamedTuple):
    """A sample of what the plan will be given."""

    name: str
    kind: FileKind
    data: bytes
    places: tuple[str, ...] = ()
    """Of a template: what stands in its double brackets."""

    @property
    def stem(self) -> str:
        return PurePath(self.name).stem

    @property
    def ending(self) -> str:
        return PurePath(self.name).suffix.lower()


class Manual(NamedTuple):
    name: str
    text: str
    """Without its tables and headings."""
    tables: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """Each with its heading as the first row."""
    whole: str = ""
    """All of it, as it was read."""


class Material(NamedTuple):
    files: tuple[GivenFile, ...] = ()
    manuals: tuple[Manual, ...] = ()
    unread: tuple[str, ...] = ()
    """Names of files that could not be read, with the reason."""


def read_material(sources: Iterable[GivenSource], readers: Readers) -> Material:
    files: list[GivenFile] = []
    manuals: list[Manual] = []
    unread: list[str] = []
    for source in sources:
        try:
            found = _read(source, readers)
        except SanboError as error:
            unread.append(f"{source.name}: {error.problem.message}")
            continue
        if isinstance(found, Manual):
            manuals.append(found)
        else:
            files.append(found)
    return Material(tuple(files), tuple(manuals), tuple(unread))


def _read(source: GivenSource, readers: Readers) -> GivenFile | Manual:
    ending = PurePath(source.name).suffix.lower()
    if ending in TABLES:
        return GivenFile(source.name, "table", source.data)
    if ending in _KINDS:
        return GivenFile(source.name, _KINDS[ending], source.data)  # type: ignore[arg-type]
    document = readers.read(source)
    places = tuple(dict.fromkeys(_PLACE.findall(document.text)))
    if places:
        return GivenFile(source.name, "template", source.data, places)
    if ending in _TEXTS and _is_manual(source.name, document.text):
        return _manual(document)
    return GivenFile(source.name, "document", source.data)


def _manual(document: Document) -> Manual:
    """Without titles, and without what stands before the first part or under its purpose."""
    lines: list[str] = []
    tables: list[tuple[tuple[str, ...], ...]] = []
    heads = [at for at, block in enumerate(document.blocks) if isinstance(block, Heading)]
    parts = heads[1:] if heads[:1] == [0] else heads
    begin = parts[0] if parts else 0
    is_told = True
    for at, block in enumerate(document.blocks):
        if isinstance(block, DocumentTable):
            head = (block.columns,) if block.columns else ()
            rows = (*head, *block.rows)
            tables.append(tuple(tuple(_close(cell) for cell in row) for row in rows))
        elif isinstance(block, Heading):
            is_told = not has("purpose_heads", plain(document.text_of(block)))
        elif at >= begin and is_told:
            lines.append(_close(document.text_of(block)))
    return Manual(document.name, "\n".join(lines), tuple(tables), _close(document.text))


_GAP = re.compile(
    r"(?<=[0-9A-Za-z]) (?=[ぁ-んァ-ヶー一-龠])|(?<=[ぁ-んァ-ヶー一-龠]) "
    r"(?=[0-9A-Za-zぁ-んァ-ヶ一-龠])"
)


def _close(text: str) -> str:
    """PDF files stand Japanese letters and figures apart: 10 万円."""
    return _GAP.sub("", text)


def _is_manual(name: str, text: str) -> bool:
    """What says in sentences what to do; an invoice or a report does not."""
    if has("procedure", plain(name)) or has("procedure", plain(text[:200])):
        return True
    lines = [plain(line) for line in re.split(r"[。\n]|\. ", text)]
    says = sum(len(line) > 8 and any(has(f"acts.{one}", line) for one in _DOINGS) for line in lines)
    return says >= _STEPS_OF_A_MANUAL and not has("invoices", plain(name))


_DOINGS = ("approve", "write", "union", "pair", "filter")


_NUMBERS = re.compile(
    "金額|額$|合計|価格|単価|数$|数量|税|個|重|amount|total|price|tax|qty|quantity|sum|weight|packages|hours|fee|cost"
)
_DATES = re.compile("日$|期限|日付|期日|date|due|deadline")
_PARTS = re.compile(r"[\s_\-.()（）・]+")


@dataclass
class Source:
    """A file or sheet that the plan reads when a step needs it."""

    label: str
    kind: str
    """csv, sheet, tables (in a ZIP), mails (in a ZIP, with tables), mail, documents, schema."""
    file: GivenFile | None = None
    accept: str = ""
    sheet: str = ""
    """Of a workbook that has several."""
    fields: dict[str, str] = field(default_factory=dict[str, str])
    """Of documents: what is read from each, with its type."""
    file_column: str = ""
    """Where rows keep the name of their file."""
    is_text: bool = False
    """Cells stay as they are written, for a document that shows them."""
    is_sheets: bool = False
    """Workbooks are in the ZIP."""
    made: Rows | None = None

    @property
    def title(self) -> str:
        return self.sheet or self.label

    def rows(self, draft: Draft) -> Rows:
        if self.made is None:
            says, draft.says = draft.says, ""
            self.made = self._read(draft).named(self.title)
            draft.says = says
        return self.made

    def _read(self, draft: Draft) -> Rows:
        file = self._field(draft)
        title = draft.say("read", what=self.title)
        match self.kind:
            case "csv":
                return self._csv(draft, file, title)
            case "sheet":
                config: dict[str, Any] = {"header_row": "auto"}
                if self.sheet:
                    config = {"sheets": [{"name": self.sheet, "header_row": "auto"}]}
                given = {"workbook": file, "read_config": config}
                self._leave_totals_out(draft, "excel.read_data", given)
                node = draft.add("read", "excel.read_data", given, title=title, files=(self.label,))
            case "tables":
                return self._tables(draft, f"{self._unpacked(draft, file)}.files}}")
            case "mails":
                body = [
                    _node(
                        "mail", "file.read_mail", {"bytes": "${item.file}", "accept": list(TABLES)}
                    )
                ]
                over = f"{self._unpacked(draft, file)}.files}}"
                found = draft.loop("mails", over, body, "mail.attachments", title=draft.say("mail"))
                node = draft.add(
                    "attached",
                    "transforms.flatten_items",
                    {"results_list": found},
                    title=draft.say("mail"),
                )
                return self._tables(draft, f"${{{node}.items}}", "${item}")
            case "mail":
                given = {"bytes": file, "accept": list(TABLES)}
                node = draft.add("mail", "file.read_mail", given, title=draft.say("mail"))
                return self._tables(draft, f"${{{node}.attachments}}", "${item}")
            case _:
                return self._records(draft, file)
        return draft.rows(f"${{{node}.rows}}", self.title)

    def _csv(self, draft: Draft, file: str, title: str) -> Rows:
        """As numbers and days; where that would make words such as 有 and 無 true and false, only
        those columns become figures that are."""
        given: dict[str, Any] = {"bytes": file, "types": "auto"}
        probe = draft.samples.perform("_probe", "file.read_csv", given)
        rows: list[dict[str, Any]] = probe["rows"] if probe else []
        has_truth = any(isinstance(value, bool) for row in rows for value in row.values())
        if self.is_text or has_truth:
            given["types"] = "text"
        self._leave_totals_out(draft, "file.read_csv", given)
        node = draft.add("read", "file.read_csv", given, title=title, files=(self.label,))
        kinds: dict[str, str] = probe["summary"]["types"] if probe else {}
        specs = {
            name: kind for name, kind in kinds.items() if kind in ("number", "integer", "date")
        }
        if not has_truth or self.is_text or not specs:
            return draft.rows(f"${{{node}.rows}}", self.title)
        given = {"items": f"${{{node}.rows}}", "specs": specs}
        node = draft.add("values", "transforms.coerce_values", given, title=title)
        return draft.rows(f"${{{node}.rows}}", self.title)

    def _leave_totals_out(self, draft: Draft, block: str, given: dict[str, Any]) -> None:
        """Where the sample has some; of other files the run warns."""
        probe = draft.samples.perform("_probe", block, {**given, "totals": "drop"})
        if probe and probe["summary"]["total_rows"]:
            given["totals"] = "drop"
            draft.leave_open(draft.say("open.totals", what=self.title))

    def _field(self, draft: Draft) -> str:
        if self.file is None:
            return draft.ask("file", self.label, accept=self.accept)
        sample: Any = draft.samples.file(self.file.name, self.file.data)
        more = {"description": draft.say("sample", name=self.file.name)}
        many = self.kind == "documents" and self.file.ending != ".zip"
        kind, sample = ("files", [sample]) if many else ("file", sample)
        return draft.ask(kind, self.label, sample, accept=self.accept, **more)

    def _unpacked(self, draft: Draft, file: str) -> str:
        title = draft.say("unpack", what=self.label)
        node = draft.add(
            "unpack", "file.parse_zip_2tier", {"zip_bytes": file}, title=title, files=(self.label,)
        )
        return f"${{{node}.evidence"

    def _tables(self, draft: Draft, over: str, item: str = "${item.file}") -> Rows:
        given = (
            {"workbook": item, "read_config": {"header_row": "auto"}, "totals": "drop"}
            if self.is_sheets
            else {"bytes": item, "types": "auto", "totals": "drop"}
        )
        body = [_node("table", "excel.read_data" if self.is_sheets else "file.read_csv", given)]
        gives = "table.rows"
        if self.file_column:
            context = {self.file_column: "${item.name}"}
            body.append(
                _node(
                    "tagged",
                    "transforms.attach_context",
                    {"items": "${table.rows}", "context": context},
                )
            )
            gives = "tagged.items"
        title = draft.say("read", what=self.label)
        found = draft.loop("tables", over, body, gives, title=title)
        node = draft.add(
            "rows",
            "transforms.flatten_items",
            {"results_list": found},
            title=draft.say("union", tables=self.label),
        )
        ref = f"${{{node}.items}}"
        if self.file_column:
            rules = [
                {
                    "field": self.file_column,
                    "pattern": r"\.[A-Za-z]{1,5}$",
                    "to": "",
                    "match": "regex",
                }
            ]
            node = draft.add(
                "names",
                "transforms.replace_values",
                {"items": ref, "rules": rules},
                title=draft.say("file_names"),
            )
            ref = f"${{{node}.rows}}"
        return draft.rows(ref, self.title)

    def _records(self, draft: Draft, file: str) -> Rows:
        is_zip = self.accept == ".zip"
        evidence = f"{self._unpacked(draft, file)}}}" if is_zip else file
        read_as = {name: name for name in self.fields}
        for name in [name for name in self.fields if has("counterparty", plain(name))]:
            sides = draft.say("parties").split("|")
            found = draft.samples.perform(
                "_probe",
                "ai.process_llm",
                {"evidence_data": evidence, "output_schema": dict.fromkeys(sides, "string")},
            )
            seen = (
                {side: {one.get(side) for one in found["records"]} - {None} for side in sides}
                if found
                else {}
            )
            read_as[name] = max(seen, key=lambda side: len(seen[side]), default=name)
        shown = draft.say("comma").join(self.fields)
        given = {
            "evidence_data": evidence,
            "prompt": draft.say("read_prompt", fields=shown),
            "output_schema": {read_as[name]: kind for name, kind in self.fields.items()},
        }
        node = draft.add(
            "extract", "ai.process_llm", given, title=draft.say("extract", fields=shown)
        )
        columns = {
            "items": f"${{{node}.records}}",
            "rename": {read: name for name, read in read_as.items()},
            "mode": "only",
        }
        node = draft.add("records", "transforms.rename_fields", columns, title=draft.say("records"))
        rows = draft.rows(f"${{{node}.rows}}", self.title)
        if not rows.sample:
            rows.sample = [dict.fromkeys(self.fields)]
        return rows


def _node(name: str, block: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "block": block, "in": given}


def sources_of(file: GivenFile, draft: Draft) -> list[Source]:  # noqa: PLR0911 - a kind each
    samples = draft.samples
    match file.kind:
        case "table" if file.ending in (".csv", ".tsv"):
            return [Source(file.stem, "csv", file, ".csv")]
        case "table":
            book = samples.file(file.name, file.data)
            given = {"workbook": book, "read_config": {"header_row": "auto"}, "mode": "multi"}
            found = samples.perform("_probe", "excel.read_data", given) or {"data": {}}
            names = [name for name, rows in found["data"].items() if rows] or [""]
            return [
                Source(file.stem, "sheet", file, ".xlsx", name if len(names) > 1 else "")
                for name in names
            ]
        case "zip":
            return [_packed(file, draft)]
        case "mail":
            return [Source(file.stem, "mail", file, ".eml")]
        case "document":
            return [Source(file.stem, "documents", file, file.ending)]
        case "schema":
            return [Source(file.stem, "schema", file, ".json")]
        case _:
            return []


def _packed(file: GivenFile, draft: Draft) -> Source:
    """By what most of the files in it are."""
    given = {"zip_bytes": draft.samples.file(file.name, file.data)}
    found = draft.samples.perform("_probe", "file.parse_zip_2tier", given)
    endings = (
        [PurePath(one["name"]).suffix.lower() for one in found["evidence"]["files"]]
        if found
        else []
    )
    most = max(endings, key=endings.count, default="")
    kind = "tables" if most in TABLES else "mails" if most == ".eml" else "documents"
    source = Source(file.stem, kind, file, ".zip", is_sheets=most in (".xlsx", ".xlsm"))
    if kind == "mails":
        source.kind = "mails" if _has_tables(found, draft) else "documents"
    return source


def _has_tables(found: Any, draft: Draft) -> bool:
    for one in found["evidence"]["files"]:
        mail = draft.samples.perform(
            "_probe", "file.read_mail", {"bytes": one["file"], "accept": list(TABLES)}
        )
        if mail and mail["attachments"]:
            return True
    return False


# ---- which one a text is about ----


def name_parts(name: str) -> list[str]:
    parts = [part for part in _PARTS.split(plain(name)) if len(part) > 1 and not part.isdigit()]
    return [part.removesuffix("s") if part.isascii() and len(part) > 4 else part for part in parts]


def mention(source: Source, text: str) -> int:
    """Where a text names a source, by its label or the longest part of it; -1 where it does not."""
    names = [plain(source.sheet), plain(source.label), plain(source.label).replace("_", " ")]
    for name in names:
        if len(name) > 1 and (at := text.find(name)) >= 0:
            return at
    places = [text.find(part) for part in name_parts(source.title)]
    if named := [at for at in places if at >= 0]:
        return min(named)
    return _by_letters(plain(source.label), text)


def _by_letters(name: str, text: str) -> int:
    """The longest beginning of a Japanese name, two letters at least."""
    if language_of(name) != "ja":
        return -1
    for length in range(len(name), 1, -1):
        at = text.find(name[:length])
        if at >= 0 and language_of(name[:length]) == "ja":
            return at
    return -1


def mentioned(sources: Sequence[Source], text: str) -> list[Source]:
    """In the order in which the text names them."""
    places = [(mention(one, text), number) for number, one in enumerate(sources)]
    return [sources[number] for at, number in sorted(places) if at >= 0]


def field_types(names: Sequence[str]) -> dict[str, str]:
    return {
        name: "number"
        if _NUMBERS.search(plain(name))
        else "date"
        if _DATES.search(plain(name))
        else "string"
        for name in names
    }
