"""What comes out of a plan: the columns that are wanted, approvals, open points, and files:
workbooks, CSV, documents made of a template.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sanbo.plans.designing import row_steps
from sanbo.plans.designing.account import Account
from sanbo.plans.designing.approvals import Approval, gates
from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.judgements import labelled_only, tabled
from sanbo.plans.designing.sources import GivenFile
from sanbo.plans.designing.wording import format_mentions, formats_in, noun_of, plain
from sanbo.plans.designing.work import Work

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
            data[head] = _of_item(column)
        else:
            label = _label(head, number, labels, len(places))
            data[head] = draft.ask("text", label)
    more = {"when": when} if when else {}
    title = draft.say("fill", what=template.stem)
    each = rows is not None and any(str(value).startswith("${item") for value in data.values())
    if each and rows is not None:
        name = f"{template.stem}_{_of_item(rows.columns[0])}.docx"
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


def _of_item(column: str) -> str:
    """A column of the row: in brackets where its name can't follow a dot."""
    is_plain = re.fullmatch(r"[^\W\d]\w*", column)
    return f"${{item.{column}}}" if is_plain else f'${{item["{column}"]}}'


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


_LIST = re.compile(r"、|,|・|/|／|(?<=[^\s])と(?=[^\s])|および|及び|\band\b|\bor\b")


_COLUMNS = re.compile(
    r"(?:列|項目)は、?(?P<j>[^。]{3,120}?)(?:の順|の\s?\d\s?列|の\d つ|とし|とする|です|"
    r"である|$)|(?:with|has|have) (?:the )?columns?:? (?P<e>[^.;]{3,120})|"
    r"(?:report|table|list|sheet)[A-Za-z ]{0,20}: (?P<c>[^.;]{3,120})|"
    r"結果は(?P<k>[^。]{3,80}?)の\s?\d\s?列|"
    r"(?P<m>[^。、はを]{2,20}(?:、[^。、はを]{1,20}){1,8})の(?:\d\s?)?列(?:で|に|を|の)"
)


def columns_told(work: Work, sentence: str) -> str:
    """列は、品番、数量、…とする: of the result, or of a source whose looks it tells."""
    match = _COLUMNS.search(sentence)
    if match is None:
        return ""
    listed = next(part for part in match.groups() if part)
    listed = re.split(r", where |, highest|, sorted|, and leave|とし、|。", listed)[0]
    names = [
        re.sub(
            r"^(?:the|and) |(?:の)?\d?\s?(?:列|つ)?(?:だけ)?$", "", part.strip(' 「」"“”')
        ).strip()
        for part in _LIST.split(listed)
    ]
    names = [noun_of(name) for name in names if 0 < len(name) <= 30]
    if len(names) < 2:
        return ""
    for source in work.tables:
        if source.kind == "documents":
            continue
        columns = source.rows(work.draft).columns
        known = {re.sub(r"\s", "", plain(column)) for column in columns}
        if {
            re.sub(r"\s", "", plain(re.sub(r"[(（].*", "", name))) for name in names
        } <= known and len(names) >= len(known) - 1:
            return "source"
    work.columns = names
    return "result"


def finish(work: Work, said: Sequence[str]) -> None:
    draft = work.draft
    draft.says = ""
    if work.current is None and work.tables:
        work.rows_for(work.whole)
    templates = [one for one in work.material.files if one.kind == "template"]
    rows = work.current
    if rows is not None and rows.profile is not None:
        rows = labelled_only(work, tabled(work, rows) or rows)
    if rows is not None and work.columns:
        rows = _with_columns(work, rows)
    results: dict[str, Rows] = {rows.title: rows} if rows is not None else {}
    for title, one in work.extras.items():
        if rows is None or one.ref != rows.ref:
            results.setdefault(title, one)
    if not work.approvals and _APPROVED.search(work.whole) and not _UNAPPROVED.search(work.whole):
        work.approvals.append(Approval(draft.say("approver"), "", ""))
        draft.leave_open(draft.say("open.approver"))
    when = gates(draft, work.approvals, results)
    draft.says = ""
    if templates:
        fill(draft, templates[0], rows, _labels(work), when)
    elif results:
        draft.says = next((line for line in reversed(said) if formats_in(plain(line))), "")
        write(
            draft,
            formats_written(
                "\n".join((draft.instruction, *(one.text for one in work.material.manuals)))
            ),
            results,
            work.draft.instruction,
            when,
        )
    draft.seen = [one.made for one in work.sources if one.made is not None]
    draft.prune()
    _tell_open(work, rows)


def _tell_open(work: Work, rows: Rows | None) -> None:
    draft = work.draft
    account = Account(draft, work.sources, rows)
    for sentence in work.sentences:
        if lost := account.unanswered(sentence):
            told = draft.say("comma").join(lost)
            is_whole = sentence in work.unplaced
            point = "open.unplaced" if is_whole else "open.words"
            draft.leave_open(draft.say(point, words=told, text=sentence))
    labels = {each["label"] for each in draft.fields}
    for name in work.asked:
        if not any(plain(label) == name for label in labels):
            draft.leave_open(draft.say("open.asked", name=name))
    for source in work.sources:
        if source.label not in labels:
            draft.leave_open(draft.say("open.unused", name=source.title))
    for text in work.material.unread:
        draft.leave_open(draft.say("open.unread", text=text))


_APPROVED = re.compile(
    "承認(?:を(?:得|もら|受け|取|経)|する|して|後|した)|決裁を|approved? (?:before|first|by)|"
    "needs? approval|get approval|after approval"
)


_UNAPPROVED = re.compile("承認は不要|承認を要しない|承認は要ら|no approval|without approval")


def _labels(work: Work) -> list[str]:
    match = re.search(
        r"に、?([^。、]{1,60}?)を(?:入れ|差し込|記入|埋め)|(?:ask me for|fill in|enter|with) "
        r"(.{3,160}?)(?:, then|\.|$| and fill| at )",
        work.draft.instruction,
    )
    if match is None:
        return []
    listed = next(part for part in match.groups() if part)
    names = [
        re.sub(r"^(?:the|their|and|an?|its) ", "", part.strip()).strip()
        for part in _LIST.split(listed)
    ]
    return [name for name in names if name]


def _with_columns(work: Work, rows: Rows) -> Rows:
    """The columns that are wanted, under the names that are wanted."""
    made: dict[str, str] = {}
    for name in work.columns:
        found = _column_like(rows, name, set(made))
        if found:
            made[found] = name
        else:
            work.draft.leave_open(work.draft.say("open.column", name=name))
    return row_steps.pick(work.draft, rows, made) if made else rows


def _column_like(rows: Rows, name: str, taken: set[str]) -> str:
    free = [column for column in rows.columns if column not in taken]
    wanted = re.sub(r"\s", "", plain(name))
    for column in free:
        if re.sub(r"\s", "", plain(column)) == wanted:
            return column
    for column in free:
        if re.sub(r"[(（].*", "", plain(column)).strip() == plain(name):
            return column
    parts = set(plain(name).split())
    for column in free:
        if name.isascii() and parts and parts <= set(plain(column).split()):
            return column
    near = [column for column in free if wanted in plain(column) or plain(column) in wanted]
    return near[0] if len(near) == 1 else ""
