"""What the command line names: JSON, files for fields, and a file for the result."""

import os
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import orjson
import typer
from pydantic import JsonValue

from sanbo.cli.bench import Bench
from sanbo.cli.screen import say
from sanbo.kernel.messages import tell
from sanbo.kernel.private_files import show_as_usual
from sanbo.kernel.problems import Conflict, NotFound, PermissionDenied
from sanbo.reports.names import ReportFormat, format_of
from sanbo.runs.model import FieldType, JsonObject, Requirement

STANDARD_OUTPUT = Path("-")


def refuse_unwritable(output: Path) -> None:
    """Looked at before the work: nobody waits for a result that can't be written."""
    if output.exists():
        raise Conflict("output_exists", path=str(output))
    folder = output.absolute().parent
    if not folder.is_dir():
        raise NotFound("path_not_found", path=str(output.parent))
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PermissionDenied("path_refused", path=str(folder), reason=reason) from error


def report_format(output: Path, wanted: ReportFormat | None = None) -> ReportFormat:
    """Of a report that is to be written there, else by its ending; looked at before the work."""
    form = wanted or format_of(output.name)
    if form is None:
        raise typer.BadParameter(tell("cli.usage.report_suffix"), param_hint="--output")
    refuse_unwritable(output)
    return form


def unused(path: Path) -> Path:
    """The name itself, or numbered: 新旧対照表 (2).docx."""
    number, target = 1, path
    while target.exists():
        number += 1
        target = path.with_name(f"{path.stem} ({number}){path.suffix}")
    return target


@contextmanager
def opened_output(output: Path, *, replace: bool = False) -> Generator[BinaryIO]:
    """A file for the person who asked for it: as readable as any other that they make."""
    is_new = not output.exists()
    with output.open("wb" if replace else "xb") as writer:
        if is_new:
            show_as_usual(output)
        yield writer


def make_output_folder(folder: Path) -> None:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        show_as_usual(made)


def write_new(output: Path, data: bytes) -> None:
    with opened_output(output) as writer:
        writer.write(data)
    say(tell("cli.saved", path=output))


def json_given(text: str | None, option: str) -> JsonObject:
    """A JSON object, written out, in a file (`@answer.json`), or on standard input (`-`)."""
    if text is None:
        return {}
    try:
        # As the API reads it: no NaN, no half of a surrogate pair.
        value: object = orjson.loads(_written(text))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise typer.BadParameter(
            tell("cli.usage.unreadable", option=option, reason=reason)
        ) from None
    except ValueError as error:
        raise typer.BadParameter(tell("cli.usage.json", option=option, reason=error)) from None
    if not isinstance(value, dict):
        raise typer.BadParameter(tell("cli.usage.json_object", option=option))
    return cast("JsonObject", value)


def _written(text: str) -> str:
    if text == "-":
        return sys.stdin.read()
    return existing(text[1:]).read_text("utf-8-sig") if text.startswith("@") else text


def files_given(
    bench: Bench,
    assignments: Sequence[str],
    fields: Iterable[Requirement],
    *,
    in_memory: bool = False,
) -> JsonObject:
    """`FIELD=PATH` one by one, uploaded; several for one field add up."""
    known = {field.id: field for field in fields}
    paths: dict[str, list[Path]] = {}
    for assignment in assignments:
        name, equals, path = assignment.partition("=")
        if not equals or not name or not path:
            raise typer.BadParameter(tell("cli.usage.file", given=assignment))
        paths.setdefault(name, []).append(existing(path))
    values: JsonObject = {}
    for name, given in paths.items():
        field = known.get(name)
        if field is not None and field.kind.has_columns:
            values[name] = field.kind.typed(field, "\n".join(map(rows_in, given)))
        else:
            kind: FieldType = field.type if field else "file"
            values[name] = upload(bench, kind, given, in_memory=in_memory)
    return values


def rows_in(path: Path) -> str:
    """A table as a spreadsheet saves it: CSV or tabs, in UTF-8 or as Japanese Windows writes it."""
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp932", "replace")


def upload(
    bench: Bench, kind: FieldType, paths: Sequence[Path], *, in_memory: bool = False
) -> JsonValue:
    """Stores files so that a run may use them; the value that stands for them in an answer."""
    references: list[JsonValue] = [
        bench.upload(path.read_bytes() if in_memory else path, name).model_dump(mode="json")
        for path, name in named_files(paths)
    ]
    return references[0] if kind == "file" and len(references) == 1 else references


def named_files(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Files by their names; those of a folder by their place in it."""
    for path in paths:
        if not path.is_dir():
            yield path, readable_name(path.name)
            continue
        for folder, below, names in os.walk(path):
            below.sort()
            for name in sorted(names):
                file = Path(folder, name)
                yield file, readable_name(file.relative_to(path).as_posix())


def readable_name(name: str) -> str:
    """A name on disk as text: from older Japanese systems and archives it may be in cp932."""
    raw = os.fsencode(name)
    for encoding in ("utf-8", "cp932"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", "replace")


def existing(path: str) -> Path:
    found = Path(path).expanduser()
    if not found.exists():
        raise NotFound("path_not_found", path=str(found))
    return found
