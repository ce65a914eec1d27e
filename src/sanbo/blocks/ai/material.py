"""Evidence of every shape as a list of things to read: documents, images, and what failed.

A document comes in parts that a model can read at once; together they are the whole document.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import cast

from pydantic import JsonValue, ValidationError

from sanbo.blocks.block import EngineContext
from sanbo.documents.chunks import Chunk, chunk
from sanbo.documents.model import CELL_SEPARATOR, Document, Paragraph, Position, Source, Table
from sanbo.kernel.problems import InvalidInput, Problem, SanboError
from sanbo.runs.model import FileRef

IMAGES: Mapping[str, str] = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
}
ROWS = "rows"
_WITHOUT_TEXT = frozenset({"pdf_no_text", "pdf_unreadable_text"})
_FILE_KEYS = frozenset({"file_id", "name", "size"})


@dataclass(frozen=True)
class Entry:
    """One thing to read, as the plan has given it; nothing is read yet."""

    name: str
    """The path that a person knows it by."""
    file: FileRef | None = None
    text: str | None = None
    """Where there is no file: all that is known of it."""
    is_cut: bool = False
    """Whether that text is known to be only the begin."""
    rows: Sequence[Mapping[str, JsonValue]] | None = None
    told: Mapping[str, JsonValue] | None = None
    """What the evidence itself says of the file."""

    @property
    def image_type(self) -> str | None:
        return IMAGES.get(PurePosixPath(self.name).suffix.casefold()) if self.file else None


@dataclass(frozen=True)
class Picture:
    name: str
    data: bytes
    media_type: str


@dataclass(frozen=True)
class Read:
    """What came of reading one."""

    document: Document | None = None
    pictures: Sequence[Picture] = ()
    problem: Problem | None = None
    is_seen: bool = True
    """False where not all of it is shown to the model: it has too many pictures, or may not see."""


def entries_of(evidence: JsonValue, *, node: str) -> list[Entry]:
    found = list(_entries(evidence))
    if not found and not _is_empty(evidence):
        raise InvalidInput("ai_evidence_unknown", node=node)
    return found


def _is_empty(evidence: JsonValue) -> bool:
    """Nothing to read is no mistake: a folder may be empty."""
    if isinstance(evidence, dict):
        return evidence.get("files") == []
    return evidence in ([], None)


def _entries(evidence: JsonValue) -> Iterator[Entry]:
    if isinstance(evidence, str):
        yield Entry("text", text=evidence)
    elif isinstance(evidence, dict):
        yield from _object_entries(evidence)
    elif isinstance(evidence, list):
        rows = [each for each in evidence if isinstance(each, dict) and not _is_file(each)]
        if rows and len(rows) == len(evidence):
            yield Entry(ROWS, rows=rows)
            return
        for number, each in enumerate(evidence, start=1):
            if isinstance(each, str):
                yield Entry(f"text{number}", text=each)
            else:
                yield from _entries(each)


def _object_entries(evidence: Mapping[str, JsonValue]) -> Iterator[Entry]:
    files = evidence.get("files")
    if isinstance(files, list):
        for each in files:
            yield from _entries(each)
    elif isinstance(evidence.get("evidence"), dict):  # one of transforms.group_evidence's groups
        yield from _entries(evidence["evidence"])
    elif _is_file(evidence):
        yield _file_entry(evidence)
    elif isinstance(evidence.get("rows"), list):
        yield from _entries(evidence["rows"])
    elif not {"files", "rows"} & evidence.keys():
        yield from _named_tables(evidence)
    if isinstance(files, list):
        rest = {name: value for name, value in evidence.items() if name not in _OF_EVIDENCE}
        yield from _named_tables(rest)


_OF_EVIDENCE = frozenset({"files", "raw_size", "total_files", "by_dir", "problems", "instruction"})


def _named_tables(evidence: Mapping[str, JsonValue]) -> Iterator[Entry]:
    """Other keys: rows, `{rows}`, `{results}`, or a text such as another step's answer."""
    for name, value in evidence.items():
        inner = value
        if isinstance(value, dict):
            inner = next((value[key] for key in ("rows", "results", "items") if key in value), None)
        if isinstance(inner, list) and inner and all(isinstance(row, dict) for row in inner):
            yield Entry(name, rows=[row for row in inner if isinstance(row, dict)])
        elif isinstance(value, str) and value.strip():
            yield Entry(name, text=value)
        elif isinstance(value, dict) and value:
            yield Entry(name, rows=[value])


def _is_file(value: Mapping[str, JsonValue]) -> bool:
    return (
        value.keys() >= _FILE_KEYS
        or "text_excerpt" in value
        or "text" in value
        or isinstance(value.get("file"), dict)
    ) and bool(value.get("path") or value.get("name"))


def _file_entry(told: Mapping[str, JsonValue]) -> Entry:
    name = str(told.get("path") or told.get("name"))
    file = _file_ref(told.get("file")) or _file_ref(cast("JsonValue", dict(told)))
    if file is not None:
        return Entry(name, file=file, told=told)
    text = told.get("text_excerpt") or told.get("text") or ""
    return Entry(name, text=str(text), is_cut=told.get("truncated") is True, told=told)


def _file_ref(value: JsonValue) -> FileRef | None:
    if not isinstance(value, dict) or not value.keys() >= _FILE_KEYS:
        return None
    try:
        return FileRef.model_validate(value)
    except ValidationError:
        return None


async def read(entry: Entry, context: EngineContext) -> Read:
    if entry.rows is not None:
        return Read(document=document_of_rows(entry.name, entry.rows))
    if entry.file is None:
        return Read(document=document_of_text(entry.name, entry.text or ""))
    try:
        data = await context.read(entry.file)
        if entry.image_type is not None:
            return Read(pictures=(Picture(entry.name, data, entry.image_type),))
        source = Source(name=entry.name, data=data)
        return Read(document=await context.readers.read_apart(source))
    except SanboError as error:
        return Read(problem=error.problem)


async def read_pages(entry: Entry, unread: Problem, most: int, context: EngineContext) -> Read:
    """A document whose text can't be read, such as a scan, as pictures of its first pages."""
    if entry.file is None or unread.text_id not in _WITHOUT_TEXT or most < 1:
        return Read(problem=unread)
    try:
        source = Source(name=entry.name, data=await context.read(entry.file))
        pages = await context.readers.pictures_apart(source, most)
    except SanboError:
        pages = []
    if not pages:
        return Read(problem=unread)
    shown = [Picture(each.name, each.data, "image/png") for each in pages]
    return Read(pictures=shown, is_seen=len(pages) == unread.params.get("pages"))


def document_of_text(name: str, text: str) -> Document:
    position = Position(start=0, end=len(text))
    return Document(
        name=name, format="text", text=text, blocks=(Paragraph(position=position),) if text else ()
    )


def document_of_rows(name: str, rows: Sequence[Mapping[str, JsonValue]]) -> Document:
    columns = tuple(dict.fromkeys(key for row in rows for key in row))
    cells = tuple(tuple(_cell(row.get(key)) for key in columns) for row in rows)
    lines = [CELL_SEPARATOR.join(each) for each in (columns, *cells)]
    starts: list[int] = []
    place = 0
    for line in lines:
        starts.append(place)
        place += len(line) + 1
    text = "\n".join(lines)
    table = Table(
        columns=columns,
        rows=cells,
        row_starts=tuple(starts[1:]),
        row_numbers=tuple(range(1, len(cells) + 1)),
        position=Position(start=0, end=len(text), row=1, last_row=len(cells)),
    )
    return Document(name=name, format="csv", text=text, blocks=(table,))


def _cell(value: JsonValue) -> str:
    if value is None:
        return ""
    return str(value).replace("\t", " ").replace("\n", " ")


FOLDERS = ("top_dir", "second_dir")


def has_group(entry: Entry, group_key: str) -> bool:
    """False for what is no key of the evidence: then it is the name of the group itself."""
    return group_key in FOLDERS or group_key in (entry.told or {})


def group_of(entry: Entry, group_key: str) -> str:
    """`top_dir` and `second_dir` are folders; any other key is what the evidence says under it."""
    folders = PurePosixPath(entry.name).parts[:-1]
    if group_key == "top_dir":
        return folders[0] if folders else ""
    if group_key == "second_dir":
        return "/".join(folders[:2])
    value = (entry.told or {}).get(group_key)
    return "" if value is None else str(value)


# ---- in parts ------------------------------------------------------------------------------------


LEAST_CHARS = 200


@dataclass(frozen=True)
class Part:
    text: str
    number: int
    """From 1."""
    of: int
    start: int
    end: int
    """Its span in the document's text."""


def parts_of(document: Document, *, most_chars: int, most_rows: int) -> list[Part]:
    """Each begins with the end of the one before it, so that nothing falls between two."""
    text = document.text
    if len(text) <= most_chars and _rows(document) <= most_rows:
        return [Part(text, 1, 1, 0, len(text))] if text.strip() else []
    most = max(most_chars, LEAST_CHARS)
    cuts = chunk(document, target=min(400, most // 2), most=min(800, most))
    groups = _groups(cuts, most, most_rows)
    made: list[tuple[str, int, int]] = []
    for number, group in enumerate(groups):
        before = groups[number - 1][-1:] if number else []
        pieces = [*before, *group] if _length([*before, *group]) <= most * 2 else group
        start, end = pieces[0].position.start, pieces[-1].position.end
        context = pieces[0].context
        body = text[start:end]
        shown = f"{context}\n{body}" if context and context not in body else body
        made.append((shown, start, end))
    return [
        Part(shown, number, len(made), start, end)
        for number, (shown, start, end) in enumerate(made, start=1)
    ]


def _groups(cuts: Sequence[Chunk], most: int, most_rows: int) -> list[list[Chunk]]:
    groups: list[list[Chunk]] = []
    for cut in cuts:
        group = groups[-1] if groups else None
        if (
            group is None
            or _length([*group, cut]) > most
            or sum(_chunk_rows(each.position) for each in [*group, cut]) > most_rows
        ):
            groups.append([cut])
        else:
            group.append(cut)
    return groups


def _length(cuts: Sequence[Chunk]) -> int:
    return cuts[-1].position.end - cuts[0].position.start if cuts else 0


def _chunk_rows(position: Position) -> int:
    if position.row is None:
        return 0
    return (position.last_row or position.row) - position.row + 1


def _rows(document: Document) -> int:
    return max((len(table.rows) for table in document.tables), default=0)
