"""Tables of one instruction together: below each other, compared, looked up."""

import re
from collections.abc import Sequence

from sanbo.plans.designing import pairs, row_steps
from sanbo.plans.designing.draft import Rows
from sanbo.plans.designing.row_reading import (
    columns_named,
    places_of,
)
from sanbo.plans.designing.sources import (
    Source,
    mention,
    mentioned,
)
from sanbo.plans.designing.wording import has, language_of, plain
from sanbo.plans.designing.work import Work


def put_together(work: Work, said: str, acts: frozenset[str]) -> bool:
    """Tables put below each other, or compared."""
    tables = work.tables
    if len(tables) == 1 and tables[0].kind in ("tables", "mails") and "union" in acts:
        work.flow(tables[0].rows(work.draft))
        return True
    if len(tables) < 2:
        return False
    if "pair" not in acts and (pair := _lacking(work, said)):
        kept, other, key = pair
        work.linked |= {kept.title, other.title}
        work.flow(pairs.without_partner(work.draft, kept, other, key))
        return True
    is_reconciled = "pair" in acts
    alike = _alike(work)
    if "union" in acts and len(alike) > 1 and not is_reconciled and work.current is None:
        rows = row_steps.union(work.draft, [one.rows(work.draft) for one in alike])
        work.linked |= {one.title for one in alike}
        work.flow(rows)
        return True
    if is_reconciled or (len(alike) > 1 and work.current is None and _share_keys(work, alike)):
        return _pair(work, said)
    return False


def _lacking(work: Work, said: str) -> tuple[Rows, Rows, pairs.Key] | None:
    """会費を払っていない会員, customers who have no orders: what the other table lacks."""
    named = mentioned(work.tables, said)
    if len(named) != 2 or work.current is not None or not has("lacking", said):
        return None
    first, second = named
    if language_of(said) == "ja":
        first, second = second, first
        for one in named:
            at = mention(one, said)
            if re.search("から|のうち|の中", said[at : at + len(one.label) + 3]):
                first, second = one, next(each for each in named if each is not one)
    kept, other = first.rows(work.draft), second.rows(work.draft)
    key = pairs.key_of(kept, other)
    return (kept, other, key) if key else None


def _share_keys(work: Work, alike: Sequence[Source]) -> bool:
    """Tables of the same columns and mostly the same keys are versions of one."""
    left, right = (one.rows(work.draft) for one in alike[:2])
    key = pairs.key_of(left, right)
    return bool(key) and pairs.share_met(left, right, key) > 0.5


def _alike(work: Work) -> list[Source]:
    """The tables that have the same columns."""
    made: dict[frozenset[str], list[Source]] = {}
    for one in work.tables:
        if one.kind != "documents":
            made.setdefault(frozenset(one.rows(work.draft).columns), []).append(one)
    return max(made.values(), key=len, default=list[Source]())


def _pair(work: Work, said: str) -> bool:
    draft = work.draft
    named = mentioned(work.tables, said)
    if len(named) < 2:
        named = [*named, *(one for one in mentioned(work.tables, work.whole) if one not in named)]
    named += [one for one in work.tables if one not in named]
    if work.current is not None:
        others = [one for one in named if one.title not in work.linked]
        if not others:
            return False
        left, right = work.current, others[0].rows(draft)
    else:
        left, right = named[0].rows(draft), named[1].rows(draft)
    if not (left.sample and right.sample) or all(
        not value for row in left.sample for value in row.values()
    ):
        return _reconcile(work, left, right)
    if has("new", plain(left.title)) and not has("new", plain(right.title)):
        left, right = right, left
    if has("old", plain(right.title)) and not has("old", plain(left.title)):
        left, right = right, left
    key = pairs.key_of(left, right, said)
    if key and not pairs.compared_columns(left, right, key):
        work.linked |= {left.title, right.title}
        work.first = work.first or left.columns
        work.flow(pairs.look_up(draft, left, right, key))
        return True
    found = pairs.compare(draft, left, right, said, sides=not _without_sides(work.whole))
    if found is None:
        return _reconcile(work, left, right)
    rows, results = found
    differs = next(one for one in results.values() if one is not rows or len(results) == 1)
    work.is_paired = True
    work.linked |= {left.title, right.title}
    work.extras.update(results)
    work.flow(differs)
    return True


def _without_sides(whole: str) -> bool:
    return bool(
        re.search(
            r"leave (?:the )?(?:joiners|leavers|new|added|removed)[^.]{0,30} out|not part of|"
            r"(?:新規|追加|削除|退職|入社)(?:者|分|先)?(?:と|や|及び|、)?[^、。]{0,6}(?:は|"
            r"を)(?:除[いくか外]|対象外|要らない|いらない|不要)",
            whole,
        )
    )


def _reconcile(work: Work, left: Rows, right: Rows) -> bool:
    """Invoices and payments without a number in common."""
    draft = work.draft
    if has("payments", plain(left.title)) and not has("invoices", plain(left.title)):
        left, right = right, left
    given = {"invoices": left.ref, "payments": right.ref}
    title = draft.say("reconcile", left=left.title, right=right.title)
    node = draft.add("reconcile", "matching.reconcile", given, title=title)
    for name, port in (
        ("differences", "difference_rows"),
        ("reconciled", "rows"),
        ("unmatched_payments", "unmatched_payment_rows"),
    ):
        sheet = draft.say(f"sheet.{name}")
        work.extras[sheet] = draft.rows(f"${{{node}.{port}}}", sheet)
    work.is_paired = True
    work.linked |= {left.title, right.title}
    work.flow(work.extras[draft.say("sheet.differences")])
    return True


def looked_up(work: Work, rows: Rows, text: str, acts: frozenset[str]) -> Rows:
    """Columns that another table has are looked up there."""
    for source in work.tables:
        if source.title in work.linked or (source.kind == "documents" and not source.fields):
            continue
        other = source.rows(work.draft)
        if other.profile is None:
            continue
        named = [
            name
            for name in columns_named(text, other.profile)
            if any(True for _ in places_of(name, plain(text)))
        ]
        missing = [name for name in named if name not in rows.columns]
        if not missing and not ("lookup" in acts and mention(source, text) >= 0):
            continue
        key = pairs.key_of(rows, other)
        if not key:
            continue
        work.linked.add(source.title)
        if rows.columns == other.columns:
            continue
        base = rows
        rows = pairs.look_up(work.draft, rows, other, key)
        work.current = rows
        if has("unmatched", work.whole):
            lost = pairs.without_partner(work.draft, base, other, key)
            work.extras[lost.title] = lost
    return rows


def keep_unmatched(work: Work) -> None:
    """Rows of what flows that another table does not have."""
    if work.current is None:
        return
    for source in work.tables:
        if source.title not in work.linked:
            other = source.rows(work.draft)
            if key := pairs.key_of(work.current, other):
                work.linked.add(source.title)
                work.flow(pairs.without_partner(work.draft, work.current, other, key))
