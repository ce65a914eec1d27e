"""What comes out: the columns that are wanted, approvals, files, open points."""

import re
from collections.abc import Sequence

from sanbo.plans.designing import row_steps
from sanbo.plans.designing.account import Account
from sanbo.plans.designing.approvals import Approval, gates
from sanbo.plans.designing.clauses import noun_of
from sanbo.plans.designing.draft import Rows
from sanbo.plans.designing.judgements import labelled_only, tabled
from sanbo.plans.designing.outputs import fill, formats_written, write
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
