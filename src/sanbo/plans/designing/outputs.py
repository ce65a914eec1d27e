"""What comes out as files: workbooks, CSV, documents made of a template."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.file_formats import format_mentions
from sanbo.plans.designing.material import GivenFile
from sanbo.plans.designing.vocabulary import plain

_SHEET = re.compile(
    r"「([^「」]{1,31})」シート|シート名は?「([^「」]{1,31})」|(?:sheet|tab) (?:called |"
    r"named )?[\"“]([^\"“”]{1,31})[\"”]"
)
_INSIDE = re.compile(r"\(([^()]{1,60})\)")


def formats_written(text: str) -> list[str]:
    """Formats that the result is wanted in; a workbook where none is named."""
    said = plain(text)
    named = {one.name for one in format_mentions(said) if one.is_target}
    return [one for one in ("excel", "csv") if one in named] or ["excel"]


def write(
    draft: Draft, formats: Sequence[str], results: Mapping[str, Rows], text: str, when: str
) -> None:
    more = {"when": when} if when else {}
    for one in formats:
        if one == "excel":
            sheet = _SHEET.search(text)
            names = [
                next(part for part in found.groups() if part) for found in _SHEET.finditer(text)
            ]
            data: dict[str, str] = {}
            for number, (title, rows) in enumerate(results.items()):
                name = names[0] if sheet and number == 0 and len(names) == 1 else title
                data[_sheet_name(name, data)] = rows.ref
            file = draft.say("result_file") + ".xlsx"
            given: dict[str, Any] = {"data": data, "output_config": {"name": file, "totals": False}}
            node = draft.add(
                "write",
                "excel.write",
                given,
                title=draft.say("write", what=file),
                gives=file,
                **more,
            )
            draft.export(f"{node}.workbook_updated", "workbook")
        else:
            for title, rows in results.items():
                name = _sheet_name(title, {}) if len(results) > 1 else draft.say("result_file")
                file = f"{name}.csv"
                given = {"rows": rows.ref, "name": file}
                node = draft.add(
                    "write_csv",
                    "file.write_csv",
                    given,
                    title=draft.say("write", what=file),
                    gives=file,
                    **more,
                )
                draft.export(f"{node}.file", "csv")


def _sheet_name(title: str, taken: Mapping[str, Any]) -> str:
    name = re.sub(r"[\[\]:*?/\\']", "_", title)[:31] or "Sheet1"
    number = 2
    while name in taken:
        name, number = f"{name[:28]}_{number}", number + 1
    return name


def fill(
    draft: Draft, template: GivenFile, rows: Rows | None, labels: Sequence[str], when: str
) -> None:
    """One document a row; without rows one of what a person enters."""
    sample = draft.samples.file(template.name, template.data)
    about = draft.say("sample", name=template.name)
    source = draft.ask("file", template.stem, sample, accept=template.ending, description=about)
    data: dict[str, Any] = {}
    places = [_place(place) for place in template.places]
    for number, place in enumerate(dict.fromkeys(places)):
        head, dot, _ = place.partition(".")
        if dot and rows is not None:
            data[head] = rows.ref
        elif rows is not None and (column := _column(head, rows.columns)):
            data[head] = f"${{item.{column}}}"
        else:
            label = _label(head, number, labels, len(places))
            data[head] = draft.ask("text", label)
    more = {"when": when} if when else {}
    title = draft.say("fill", what=template.stem)
    each = rows is not None and any(str(value).startswith("${item.") for value in data.values())
    if each and rows is not None:
        name = f"{template.stem}_${{item.{rows.columns[0]}}}.docx"
        body = [
            {
                "id": "fill",
                "block": "file.fill_template",
                "in": {"template": source, "data": data, "name": name},
            }
        ]
        found = draft.loop("documents", rows.ref, body, "fill.document", title=title, **more)
        draft.export(found[2:-1], "documents")
        return
    given = {"template": source, "data": data, "name": f"{draft.say('result_file')}.docx"}
    node = draft.add(
        "fill", "file.fill_template", given, title=title, files=(template.stem,), **more
    )
    draft.export(f"{node}.document", "document")


def _place(text: str) -> str:
    inner = _INSIDE.search(text)
    return (inner[1] if inner else text).split(",")[0].strip()


def _column(place: str, columns: Sequence[str]) -> str:
    wanted = re.sub(r"[\s_]", "", plain(place))
    for name in columns:
        if re.sub(r"[\s_]", "", plain(name)) == wanted:
            return name
    near = [name for name in columns if plain(name) in plain(place) or plain(place) in plain(name)]
    return near[0] if len(near) == 1 else ""


def _label(place: str, number: int, labels: Sequence[str], count: int) -> str:
    """As the instruction calls it, where that can be told; else as the template does."""
    for label in labels:
        if plain(label) in plain(place.replace("_", " ")) or plain(
            place.replace("_", " ")
        ) in plain(label):
            return label
    is_code = place.isascii() and labels and not labels[0].isascii()
    return labels[number] if is_code and len(labels) == count else place.replace("_", " ")
