"""Tables of one instruction together: below each other, compared, looked up."""

import re
from collections.abc import Mapping, Sequence

from sanbo.plans.designing import pairs, row_steps
from sanbo.plans.designing.arithmetic import column_expression
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
from sanbo.plans.designing.vocabulary import (
    has,
    language_of,
    plain,
)
from sanbo.plans.designing.work import Work, as_written

_LIST = "(?:マスタ|一覧|名簿|リスト|台帳|表|list|master|table|sheet|file|register)"
MISSING = re.compile(
    rf"[^、。,;]{{0,30}}{_LIST}[^。,;]{{0,6}}(?:にな[いけ]|に無[いけ]|"
    rf"載っていな[いけ]|見つから|見当たら|存在しな|登録(?:がない|"
    rf"のない|されていない))[^。]{{0,24}}?「([^「」]{{1,20}})」[^。]{{0,12}}|"
    rf"[^.,;]{{0,40}}(?:isn't|is not|aren't|are not|not found|"
    rf"not|missing)\s(?:in|on|from) [^.;]{{0,20}}{_LIST}[^.;]{{0,30}}?[\"“]([^"
    rf"\"“”]{{1,20}})[\"”][^.;]{{0,12}}"
)


def put_together(work: Work, said: str, acts: frozenset[str]) -> bool:
    """Tables put below each other, or compared."""
    tables = work.tables
    if len(tables) == 1 and tables[0].kind in ("tables", "mails") and "union" in acts:
        work.flow(tables[0].rows(work.draft))
        return True
    if len(tables) < 2:
        return False
    if ("pair" not in acts or not _DIFFER.search(said)) and (pair := _lacking(work, said)):
        kept, other, key = pair
        work.linked |= {kept.title, other.title}
        work.flow(pairs.without_partner(work.draft, kept, other, key))
        return True
    is_reconciled = "pair" in acts
    alike = _alike(work)
    if "union" in acts and len(alike) > 1 and not is_reconciled and work.current is None:
        rows = _below(work, alike)
        work.linked |= {one.title for one in alike}
        work.flow(rows)
        return True
    if is_reconciled or (len(alike) > 1 and work.current is None and _share_keys(work, alike)):
        return _pair(work, said)
    return False


_NEW_COLUMN = re.compile(
    r"「?([一-龠ァ-ヶー]{1,10})」?の?列(?:を|も)(?:足|付|つけ|追加|入れ|設け|作)|"
    r"\b(?:add|with|plus) an? (?:new )?(?:column (?:called |"
    r"named )?)?[\"“]?([a-z]{2,20})[\"”]?(?: column)?"
)


def _below(work: Work, alike: Sequence[Source]) -> Rows:
    """Below each other; with a column that says where each comes from, where one is wanted."""
    tables = [one.rows(work.draft) for one in alike]
    found = _NEW_COLUMN.search(work.whole)
    name = next((part for part in found.groups() if part), "") if found else ""
    if not name or any(plain(column) == name for column in tables[0].columns):
        return row_steps.union(work.draft, tables)
    labels = [one.title for one in alike]
    start = len(_beginning(labels))
    end = len(_beginning([label[::-1] for label in labels]))
    own = [label[start : len(label) - end].strip(" _-") or label for label in labels]
    said = [
        next(
            (
                word
                for word in (f"{part}{label[len(label) - end :]}", part)
                if plain(word) in work.whole
            ),
            part,
        )
        for part, label in zip(own, labels, strict=True)
    ]
    tables = [table.named(label) for table, label in zip(tables, said, strict=True)]
    return row_steps.union(work.draft, tables, as_written(work, name))


def _beginning(names: Sequence[str]) -> str:
    """What all of them begin with."""
    first, last = min(names), max(names)
    met = next((at for at, letter in enumerate(first) if letter != last[at : at + 1]), len(first))
    return first[:met]


def _lacking(work: Work, said: str) -> tuple[Rows, Rows, pairs.Key] | None:
    """会費を払っていない会員, customers who have no orders: what the other table lacks."""
    named = mentioned(work.tables, said)
    if len(named) != 2 or work.current is not None or not has("lacking", said):
        return None
    first, second = named
    if language_of(said) == "ja":
        first, second = second, first
        if (word := _NOT_DONE.search(said)) and (
            owner := [
                one
                for one in named
                if next(part for part in word.groups() if part) in plain(one.title)
            ]
        ):
            second = owner[0]
            first = next(one for one in named if one is not second)
            key = pairs.key_of(first.rows(work.draft), second.rows(work.draft))
            return (first.rows(work.draft), second.rows(work.draft), key) if key else None
        for one in named:
            at = mention(one, said)
            if re.search("から|のうち|の中", said[at : at + len(one.label) + 3]):
                first, second = one, next(each for each in named if each is not one)
    kept, other = first.rows(work.draft), second.rows(work.draft)
    key = pairs.key_of(kept, other)
    return (kept, other, key) if key else None


_NOT_DONE = re.compile(
    "([一-龠]{2})(?:を|が|は)?(?:し|され|でき)?て?い?(?:ない|ません)|未([一-龠]{2})"
)
"""受講していない, 未入金: what the table of that name lacks."""


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
        if work.target() in (right.title,):
            left, right, key = right, left, [(b, a) for a, b in key]
        work.flow(pairs.look_up(draft, left, right, key, inner=bool(DROPPED.search(work.whole))))
        return True
    if key and _ZERO.search(work.whole):
        work.linked |= {left.title, right.title}
        work.blank = work.blank or "0"
        rows = pairs.side_by_side(draft, left, right, key, both=not _ONE_SIDE.search(work.whole))
        if _DIFFER.search(work.whole) and re.search("だけ|のみ|only", work.whole):
            rows = pairs.unequal(draft, rows, left, right, key)
        work.flow(rows)
        return True
    found = pairs.compare(draft, left, right, said, sides=not _without_sides(work.whole))
    if found is None:
        return _reconcile(work, left, right)
    rows, results = found
    differs = next(one for one in results.values() if one is not rows or len(results) == 1)
    work.is_paired = True
    work.pair = [left.title, right.title]
    work.linked |= {left.title, right.title}
    work.extras.update(results)
    work.flow(_wanted_kinds(work, results) or differs)
    return True


_LACKS_JA = re.compile(
    "(?:に|には|へ)(?:は|も)?(?:な[いく]|無[いく]|存在し(?:ない|"
    "なく)|見当たら|見つから|載って(?:い)?な|いない|登録がな|"
    "記載がな)"
)
_ONLY_JA = re.compile("(?:だけ|のみ|にしか)(?:に)?(?:ある|ない|存在|載|の)")
_LACKS_EN = re.compile(
    r"\b(?:not (?:in|on|found in|listed in|recorded in)|missing (?:from|"
    r"in|on)|absent from|isn't (?:in|on)|aren't (?:in|on)|no match in|"
    r"no .{1,20}? in)\b"
)
_ONLY_EN = re.compile(r"\bonly (?:in|on|appear(?:s)? in|appear(?:s)? on)\b")
_DIFFER = re.compile(
    "違|合わな|合わず|合って(?:い)?な|一致し(?:な|て(?:い)?な)|"
    "不一致|差異|差が|差額|異な|ずれ|differ|mismatch|not match|"
    "n't match|disagree|not agree|discrepan|varian"
)


def _wanted_kinds(work: Work, results: Mapping[str, Rows]) -> Rows | None:
    """金額が合わないものと台帳にないもの: the kinds that are named, where not all are."""
    if len(results) < 4:
        return None
    _, differs, only_left, only_right = list(results.values())[:4]
    sides: set[int] = set()
    for pattern, is_lack in ((_LACKS_JA, 1), (_ONLY_JA, 0), (_LACKS_EN, 1), (_ONLY_EN, 0)):
        for match in pattern.finditer(work.whole):
            is_japanese = pattern in (_LACKS_JA, _ONLY_JA)
            before, behind = (
                work.whole[max(0, match.start() - 12) : match.start()],
                work.whole[match.end() : match.end() + 30],
            )
            around = before if is_japanese else behind
            found = [
                (mention(source, around), number)
                for number, source in enumerate(_pair_sources(work))
                if mention(source, around) >= 0
            ]
            if found:
                _, number = max(found) if is_japanese else min(found)
                sides.add(1 - number if is_lack else number)
    for word in _NOT_DONE.finditer(work.whole):
        name = next(part for part in word.groups() if part)
        sides |= {
            1 - number
            for number, source in enumerate(_pair_sources(work))
            if name in plain(source.title)
            and name not in plain(_pair_sources(work)[1 - number].title)
        }
    if not sides or len(sides) == 2:
        return None
    (side,) = sides
    parts = [differs] if _DIFFER.search(_LACKS_JA.sub("", work.whole)) else []
    parts.append((only_left, only_right)[side])
    if len(parts) == 1:
        return parts[0]
    work.blank = work.blank or "0"
    return row_steps.union(work.draft, parts, work.draft.say("kind_column"))


def _pair_sources(work: Work) -> list[Source]:
    """Those that were compared, the left one first."""
    return [one for title in work.pair for one in work.tables if one.title == title]


_ZERO = re.compile(
    "(?:ない|載って(?:い)?ない|しかない|無い)[^。]{0,16}(?:0|"
    "ゼロ)(?:円|個|件|日|本|枚|台)?(?:扱い|とみな|とし|と(?:す|"
    "考)|で)|"
    r"(?:no|not in|missing|without)[^.]{0,40}(?:count|treat|use|as|is|be)[^.]{0,12} (?:0|zero)\b"
)
_ONE_SIDE = re.compile("(?:載せ|含め|入れ)(?:ない|なくて)|not needed|left out")


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
    for source in work.sources:
        if (
            source.kind == "schema"
            or source.title in work.linked
            or (source.kind == "documents" and not source.fields)
        ):
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
        if (
            work.is_grouped
            and ALL.search(work.whole)
            and pairs.is_unique(other, [b for _, b in key])
        ):
            rows = _with_all(work, rows, other, key)
        else:
            is_inner = bool(DROPPED.search(work.whole))
            rows = pairs.look_up(work.draft, rows, other, key, inner=is_inner)
        if work.missing:
            rows = _with_missing(work, rows, base.columns)
        work.current = rows
        if has("unmatched", work.whole) and not work.missing:
            lost = pairs.without_partner(work.draft, base, other, key)
            work.extras[lost.title] = lost
    return rows


ALL = re.compile(
    "(?:ない|なかった|ゼロの|0件の|0の)(?:人|者|社員|商品|"
    "品目|店|店舗|顧客|得意先|取引先|部署|もの|方)?も|も(?:0|"
    "ゼロ)|"
    "including (?:those|the ones|[a-z]{1,20}) (?:with no|without|"
    "who|that)|even (?:those|if)|(?:as|with|show) (?:0|zero)"
)


DROPPED = re.compile(
    r"(?:no matching|without a match|no match|not (?:found )?(?:in|"
    r"on) the)[^.;]{0,30}(?:left out|skipped|dropped|ignored|"
    r"omitted|leave out)|"
    "(?:にない|に無い|載って(?:い)?ない|見つからない|該当(?:の|"
    "が)ない)[^、。]{0,12}(?:除|載せ(?:ない|なくて)|不要|省|"
    "対象外|含めない)"
)


def _with_all(work: Work, rows: Rows, other: Rows, key: pairs.Key) -> Rows:
    """All of the other table, with 0 for those that have nothing here."""
    draft = work.draft
    turned = [(b, a) for a, b in key]
    made = pairs.look_up(draft, other, rows, turned)
    new = [name for name in made.columns if name not in other.columns]
    figures = {
        name: f"coalesce({column_expression(name)}, 0)"
        for name in new
        if not any(isinstance(row.get(name), str) for row in made.sample)
    }
    return row_steps.compute(draft, made, figures) if figures else made


def _with_missing(work: Work, rows: Rows, known: Sequence[str]) -> Rows:
    """不明 where the other table has no such row."""
    texts = [
        name
        for name in rows.columns
        if name not in known and all(isinstance(row.get(name), str | None) for row in rows.sample)
    ]
    of = {
        name: f"coalesce({column_expression(name)}, {row_steps.literal(work.missing)})"
        for name in texts
    }
    return row_steps.compute(work.draft, rows, of) if of else rows


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
