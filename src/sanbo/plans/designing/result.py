"""What comes out: the columns that are wanted, approvals, files, open points."""

import re
from collections.abc import Sequence

from sanbo.plans.designing import row_steps
from sanbo.plans.designing.account import Account
from sanbo.plans.designing.approvals import Approval, gates
from sanbo.plans.designing.asked_values import use_what_is_left
from sanbo.plans.designing.clauses import noun_of
from sanbo.plans.designing.draft import Rows
from sanbo.plans.designing.judgements import labelled_only, tabled
from sanbo.plans.designing.outputs import fill, formats_written, write
from sanbo.plans.designing.row_reading import amount_column
from sanbo.plans.designing.table_links import looked_up
from sanbo.plans.designing.vocabulary import (
    formats_in,
    plain,
)
from sanbo.plans.designing.work import Work

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
    match = _COLUMNS.search(re.sub(r"[(（][^()（）]{0,60}[)）]", "", sentence))
    if match is None:
        return ""
    listed = next(part for part in match.groups() if part)
    listed = re.sub(r"[(（][^()（）]{0,60}[)）]", "", listed)
    listed = re.split(r", where |, highest|, sorted|, and leave|とし、|。", listed)[0]
    names = [
        re.sub(
            r"^(?:the|and) |(?:の)?\d?\s?(?:列|つ)?(?:だけ)?$", "", part.strip(' 「」"“”')
        ).strip()
        for part in _LIST.split(listed)
    ]
    names = [noun_of(name) for name in names if 0 < len(name) <= 30]
    if len(names) < 2 or (match["m"] and not _are_known(work, names)):
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


def _are_known(work: Work, names: Sequence[str]) -> bool:
    tables = [one.rows(work.draft) for one in work.tables if one.kind != "documents"]
    known = sum(any(_column_like(table, name, set()) for table in tables) for name in names)
    return not tables or known * 2 >= len(names)


def finish(work: Work, said: Sequence[str]) -> None:
    draft = work.draft
    draft.says = ""
    if work.current is None and work.tables:
        work.rows_for(work.whole)
    templates = [one for one in work.material.files if one.kind == "template"]
    rows = work.current
    if rows is not None and work.asked:
        rows = work.current = use_what_is_left(work, rows)
    if rows is not None and rows.profile is not None:
        rows = labelled_only(work, tabled(work, rows) or rows)
    if rows is not None:
        rows = with_columns(work, rows)
    results: dict[str, Rows] = {rows.title: rows} if rows is not None else {}
    results = dict(work.sheets) or results
    for title, one in work.extras.items() if not work.sheets else ():
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
        if source.label not in labels and source.kind != "manual":
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


def with_columns(work: Work, rows: Rows) -> Rows:
    """The columns that are wanted, under the names that are wanted."""
    made: dict[str, str] = {}
    if not work.columns:
        return rows
    lacking = [name for name in work.columns if not _column_like(rows, name, set())]
    rows = looked_up(work, rows, "、".join(lacking), frozenset()) if lacking else rows
    rows = _summed(work, rows)
    for name in work.columns:
        found = _column_like(rows, name, set(made))
        if found:
            made[found] = name
        else:
            work.draft.leave_open(work.draft.say("open.column", name=name))
    return row_steps.pick(work.draft, rows, made) if made else rows


_FIGURE = re.compile(
    r"^(?:(?P<n>件数|人数|回数|数|(?:number of|count of|no\.? of) ?.{0,30}|count)|"
    r"(?P<s>(?:合計|総|total (?:of )?|sum of )(?P<of>.{0,30})|(?P<of2>.{1,30}?)の?(?:合"
    r"計|総額|total))|(?:平均|average )(?P<avg>.{1,30}))$"
)


def _summed(work: Work, rows: Rows) -> Rows:
    """決裁者、件数、合計金額: what is counted and added up of each of the others."""
    names = [(name, _column_like(rows, name, set())) for name in work.columns]
    groups = [found for _, found in names if found]
    figures = [(name, _FIGURE.match(plain(name))) for name, found in names if not found]
    profile = rows.profile
    if not groups or not figures or profile is None or any(match is None for _, match in figures):
        return rows
    if any((one := profile.column(name)) is None or one.is_numeric for name in groups):
        return rows
    aggregations: dict[str, dict[str, str]] = {}
    for name, match in figures:
        assert match is not None
        if match["n"] is not None:
            aggregations[name] = {"op": "count"}
            continue
        of = match["avg"] or match["of"] or match["of2"] or ""
        column = amount_column(profile, of)
        if column is None:
            return rows
        aggregations[name] = {"field": column, "op": "avg" if match["avg"] else "sum"}
    draft = work.draft
    title = draft.say(
        "group", by=draft.say("comma").join(groups), measures=draft.say("comma").join(aggregations)
    )
    given = {"items": rows.ref, "by": groups, "aggregations": aggregations}
    node = draft.add("group", "transforms.group_by_agg", given, title=title)
    return draft.rows(f"${{{node}.rows}}", title, rows)


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
    if len(near) == 1:
        return near[0]
    return next(
        (
            column
            for column in free
            if _MEASURED.sub("", wanted) == _MEASURED.sub("", plain(column)).strip()
        ),
        "",
    )


_MEASURED = re.compile(r"合計|総|平均|の|額$|数$|total|sum|average|of|\s")
