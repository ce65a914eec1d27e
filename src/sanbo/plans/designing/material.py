"""What is given with an instruction: manuals as text and tables, samples of files, templates."""

import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import Literal, NamedTuple

from sanbo.documents.model import Document, Heading, Source
from sanbo.documents.model import Table as DocumentTable
from sanbo.documents.reading import Readers
from sanbo.kernel.problems import SanboError
from sanbo.plans.designing.vocabulary import has, plain

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


def read_material(sources: Iterable[Source], readers: Readers) -> Material:
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


def _read(source: Source, readers: Readers) -> GivenFile | Manual:
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
