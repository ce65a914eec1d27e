"""What comes out as files: workbooks, CSV, documents made of a template."""

import re
from collections.abc import Mapping
from typing import Any

from sanbo.plans.designing.draft import Draft, Stream
from sanbo.plans.designing.material import GivenFile
from sanbo.plans.designing.row_phrases import amount_column, columns_named
from sanbo.plans.designing.values_asked import AskedValues
from sanbo.plans.designing.vocabulary import ending_of, formats_in

_FILE_NAME = re.compile(r"([^\s、。「」『』\"“”をにへで/\\]{1,60}\.(?:xlsx|csv|docx))")
_SHEET = re.compile(
    r"「([^「」]{1,31})」シート|(?:sheet|tab) (?:called |named )?[\"“]([^\"“”]{1,31})[\"”]"
    r"|[\"“]([^\"“”]{1,31})[\"”] sheet"
)


def names_written(text: str) -> list[str]:
    """The formats of a clause that writes: excel, csv, word."""
    return list(
        dict.fromkeys(name for _, name, _ in formats_in(text) if name in ("excel", "csv", "word"))
    )


def write(draft: Draft, text: str, formats: list[str], results: Mapping[str, str]) -> bool:
    name = _FILE_NAME.search(text)
    for one in formats:
        ending = ending_of(one)
        file = name[1] if name and name[1].endswith(ending) else draft.say("result_file") + ending
        if one == "excel":
            _workbook(draft, text, file, results)
        elif one == "csv":
            _csv(draft, file, results)
        else:
            _document(draft, file, results)
    return True


def _workbook(draft: Draft, text: str, file: str, results: Mapping[str, str]) -> None:
    sheet = _SHEET.search(text)
    named = next((part for part in sheet.groups() if part), "") if sheet else ""
    data = {_sheet_name(title): ref for title, ref in results.items()}
    if named:
        data = {named: next(iter(results.values())), **dict(list(data.items())[1:])}
    given: dict[str, Any] = {"data": data, "output_config": {"name": file, "totals": False}}
    title = draft.say("write", what=file)
    node = draft.add("write", "excel.write", given, title=title, gives=file)
    draft.export(f"{node}.workbook_updated", "workbook")


def _sheet_name(title: str) -> str:
    return re.sub(r"[\[\]:*?/\\]", "_", title)[:31] or "Sheet1"


def _csv(draft: Draft, file: str, results: Mapping[str, str]) -> None:
    given = {"rows": next(iter(results.values())), "name": file}
    title = draft.say("write", what=file)
    node = draft.add("write_csv", "file.write_csv", given, title=title, gives=file)
    draft.export(f"{node}.file", "csv")


def _document(draft: Draft, file: str, results: Mapping[str, str]) -> None:
    title, ref = next(iter(results.items()))
    given = {"template": f"{title}\n\n{{{{rows}}}}", "data": {"rows": ref}, "name": file}
    node = draft.add(
        "document", "file.fill_template", given, title=draft.say("write", what=file), gives=file
    )
    draft.export(f"{node}.document", "document")


_INSIDE = re.compile(r"\(([^()]{1,60})\)")


def fill(draft: Draft, template: GivenFile, rows: Stream | None, asked: AskedValues) -> bool:
    """A template's places get rows, sums of a column, or what a person enters."""
    label = template.stem
    source = draft.ask(
        "file", label, accept=template.ending, description=draft.say("sample", name=template.name)
    )
    data: dict[str, Any] = {}
    for place in template.places:
        inner = _INSIDE.search(place)
        name = (inner[1] if inner else place).split(",")[0].strip()
        head, dot, _ = name.partition(".")
        if dot:
            if rows is not None:
                data[head] = rows.ref
            continue
        data[head] = _value(draft, head, rows, asked)
    file = draft.say("result_file") + ".docx"
    given = {"template": source, "data": data, "name": file}
    title = draft.say("fill", what=label)
    node = draft.add("fill", "file.fill_template", given, title=title, files=(label,), gives=file)
    draft.export(f"{node}.document", "document")
    return True


def _value(draft: Draft, name: str, rows: Stream | None, asked: AskedValues) -> str:
    for label, (_, ref) in asked.refs.items():
        if label in name or name in label:
            return ref
    if rows is not None and rows.profile is not None:
        if re.search("件数|count", name.casefold()):
            return f"${{= size({rows.ref[2:-1]}) }}"
        amount = amount_column(rows.profile, name)
        if amount and re.search("合計|総額|total|sum", name.casefold()):
            given = {"items": rows.ref, "aggregations": {"total": {"field": amount, "op": "sum"}}}
            node = draft.add(
                "total", "transforms.group_by_agg", given, title=draft.say("total", measures=amount)
            )
            return f"${{{node}.rows.0.total}}"
        if columns := columns_named(name, rows.profile):
            return f"${{{rows.ref[2:-1]}.0.{columns[0]}}}"
    is_date = re.search("日|date", name.casefold())
    return draft.ask("date" if is_date else "text", name)
