"""What is given with an instruction: manuals as text, tables by their columns, templates."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Literal, NamedTuple

from sanbo.agents.analysis.datasets import Datasets, Wanted
from sanbo.agents.analysis.profile import DatasetProfile, PreparationKind
from sanbo.documents.model import Source
from sanbo.documents.reading import Readers
from sanbo.kernel.problems import SanboError
from sanbo.plans.designing.clauses import sentences
from sanbo.plans.designing.vocabulary import has, plain, steps_in

_AS_IN_THE_PLAN: tuple[PreparationKind, ...] = (
    "totals", "variants", "unit", "header", "notes", "groups", "tables", "periods",
)  # fmt: skip
"""A plan reads the file itself: only what changes no row and no heading is made ready."""
_TABLES = (".csv", ".tsv", ".xlsx", ".xlsm")
_TEXTS = (".docx", ".pdf", ".md", ".txt")
_PLACE = re.compile(r"\{\{\s*([^{}\s][^{}]{0,80}?)\s*\}\}")
_STEPS_OF_A_MANUAL = 2
MOST_SHEETS = 12

FileKind = Literal["table", "template", "zip", "mail", "document"]


class GivenFile(NamedTuple):
    """A sample of what the plan will be given."""

    name: str
    kind: FileKind
    sheets: tuple[DatasetProfile, ...] = ()
    places: tuple[str, ...] = ()
    """Of a template: what stands in its double brackets."""
    content: str = ""

    @property
    def stem(self) -> str:
        return PurePath(self.name).stem

    @property
    def ending(self) -> str:
        return PurePath(self.name).suffix.lower()


class Manual(NamedTuple):
    name: str
    text: str


class Material(NamedTuple):
    files: tuple[GivenFile, ...] = ()
    manuals: tuple[Manual, ...] = ()
    unread: tuple[str, ...] = ()
    """Names of files that could not be read, with the reason."""


def read_material(sources: Iterable[Source], readers: Readers, datasets: Datasets) -> Material:
    files: list[GivenFile] = []
    manuals: list[Manual] = []
    unread: list[str] = []
    for source in sources:
        try:
            found = _read(source, readers, datasets)
        except SanboError as error:
            unread.append(f"{source.name}: {error.problem.message}")
            continue
        if isinstance(found, Manual):
            manuals.append(found)
        else:
            files.append(found)
    return Material(tuple(files), tuple(manuals), tuple(unread))


def _read(source: Source, readers: Readers, datasets: Datasets) -> GivenFile | Manual:
    ending = PurePath(source.name).suffix.lower()
    if ending in _TABLES:
        return GivenFile(source.name, "table", _sheets(source, datasets))
    if ending == ".zip":
        return GivenFile(source.name, "zip")
    if ending == ".eml":
        return GivenFile(source.name, "mail", _attached(source, readers, datasets))
    text = readers.read(source).text
    places = tuple(dict.fromkeys(_PLACE.findall(text)))
    if places:
        return GivenFile(source.name, "template", places=places, content=text)
    if ending in _TEXTS and _is_manual(source.name, text):
        return Manual(source.name, text)
    return GivenFile(source.name, "document", content=text)


def _sheets(source: Source, datasets: Datasets) -> tuple[DatasetProfile, ...]:
    digest = hashlib.sha256(source.data).hexdigest()

    def load(sheet: str) -> DatasetProfile:
        wanted = Wanted(digest, source.name, sheet, _AS_IN_THE_PLAN)
        return datasets.load(wanted, lambda: source.data)

    first = _with_heads(load(""))
    others = [name for name in first.sheets if name != first.sheet][:MOST_SHEETS]
    made = [first]
    for name in others:
        try:
            made.append(_with_heads(load(name)))
        except SanboError:  # a sheet without a table: notes, a cover
            continue
    order = {name: at for at, name in enumerate(first.sheets)}
    return tuple(sorted(made, key=lambda each: order.get(each.sheet, 0)))


_MADE_NAME = re.compile(r"(?:列|column ?)\d{1,4}", re.IGNORECASE)


def _with_heads(profile: DatasetProfile) -> DatasetProfile:
    """A table of words alone, whose first row names its columns, as the plan will read it."""
    is_made = all(_MADE_NAME.fullmatch(one.name) for one in profile.columns)
    if not is_made or not profile.sample:
        return profile
    names = [str(cell or "") for cell in profile.sample[0]]
    columns = tuple(
        one.model_copy(
            update={"name": name, "values": tuple(each for each in one.values if each != name)}
        )
        for one, name in zip(profile.columns, names, strict=True)
        if name
    )
    update = {"columns": columns, "rows": profile.rows - 1, "sample": profile.sample[1:]}
    return profile.model_copy(update=update)


def _attached(source: Source, readers: Readers, datasets: Datasets) -> tuple[DatasetProfile, ...]:
    """The tables that a mail brings, in the order of its attachments."""
    made: list[DatasetProfile] = []
    for file in readers.files_in(source, "eml"):
        if isinstance(file, Source) and PurePath(file.name).suffix.lower() in _TABLES:
            made.append(_sheets(file, datasets)[0])
    return tuple(made)


def _is_manual(name: str, text: str) -> bool:
    """What says in sentences what to do; an invoice or a report does not."""
    if has("procedure", plain(name)):
        return True
    lines = [plain(line) for line in sentences(text)]
    says = sum(len(line) > 8 and bool(steps_in(line)) for line in lines)
    return says >= _STEPS_OF_A_MANUAL and not has("invoices", plain(name))


_NUMBERED = re.compile(r"\s*(?:[(（]?\d{1,2}[.)）．]|[①-⑳]|手順\s?\d|step \d)", re.IGNORECASE)


def steps_of(manuals: Sequence[Manual]) -> str:
    """The lines of manuals that say what to do; where they are numbered, those alone."""
    made: list[str] = []
    for manual in manuals:
        lines = [line.strip() for line in manual.text.splitlines() if line.strip()]
        numbered = [line for line in lines if _NUMBERED.match(line) and steps_in(plain(line))]
        told = (
            numbered
            if len(numbered) >= _STEPS_OF_A_MANUAL
            else [line for line in lines if len(line) > 8 and steps_in(plain(line))]
        )
        made += told
    return "\n".join(made)
