"""One clause about rows in its likeliest meaning: computed, kept, grouped, ordered, picked."""

import re
from collections.abc import Sequence

from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.language.figures import find as figures_in
from sanbo.plans.designing import row_steps
from sanbo.plans.designing.draft import Rows
from sanbo.plans.designing.judgements import judged, tabled
from sanbo.plans.designing.row_formula import days_between, formula_in
from sanbo.plans.designing.row_reading import (
    Condition,
    Order,
    RowReading,
    amount_column,
    columns_named,
    order_in,
    places_of,
    read_rows,
)
from sanbo.plans.designing.sources import (
    name_parts,
)
from sanbo.plans.designing.table_links import keep_unmatched, looked_up
from sanbo.plans.designing.wording import (
    NARRATIVE,
    acts_in,
    find,
    formats_in,
    has,
    language_of,
    plain,
    without,
)
from sanbo.plans.designing.work import Work, as_written, asked_bounds

_FORMATS = re.compile(
    r"(?:\b(?:in|to|into|as|an?|new|the|own|their)\s){0,4}"
    r"(?:excel|エクセル|xlsx|csv|zip|spreadsheet|workbook|ブック)"
    r"(?: file| sheet| list| workbook| table)?s?(?:ファイル|形式)?(?:の一覧|の表)?(?:に|で|"
    r"の|を|へ|から)?"
)


def without_sources(work: Work, clause: str) -> str:
    """Without names of files and formats."""
    said = plain(clause)
    for source in work.sources:
        for name in (plain(source.label), *name_parts(source.label)):
            if language_of(name) == "ja" and len(name) > 1 and not _is_column(work, name, said):
                said = re.sub(
                    rf"{re.escape(name)}(?:一覧|データ|リスト)?(?:の|と)?(?:csv|excel|ファイル|データ)?(?:から|を|で|の中から|について|には|は|が)?、?",
                    " ",
                    said,
                )
            elif language_of(name) == "en" and len(name) > 2:
                said = re.sub(
                    rf"\b(?:from|in|of|on) (?:the|our|my|this) {re.escape(name)}s?"
                    r"(?: list| file| table| sheet| register| csv| excel)?\b(?!\s+by\b)",
                    " ",
                    said,
                )
    said = _FORMATS.sub(" ", said)
    return re.sub(r"\s+", " ", said).strip(" 、,.")


def _is_column(work: Work, name: str, said: str) -> bool:
    known = [column for one in work.tables if one.made for column in one.made.columns]
    return any(name in plain(column) and plain(column) in said for column in known)


def fitting_reading(rows: Rows, text: str, original: str = "") -> RowReading:
    """The likeliest meaning of a phrase that leaves some rows."""
    known = rows.profile if text.strip() else None  # none where no row of the sample is left
    nothing = RowReading([], [], [], None, False, [])
    if known is None:
        return nothing
    amount = amount_column(known) if _BOUND.search(text) else None
    said = f"{amount}が{text}" if language_of(text) == "ja" else f"{amount} {text}"
    is_bare = not original.startswith(amount or "") and not columns_named(text, known)
    if amount and is_bare:  # under 1000: of what is meant by itself
        return fitting_reading(rows, said, f"{amount} {original}")
    found = list(read_rows(text, known))
    for reading in found:
        kept = [one for one in reading.conditions if _is_meant(one, original or text)]
        quoted = {
            one["field"]
            for one in kept
            if "field" in one and f"「{one.get('value')}」" in plain(text)
        }
        kept = [
            one
            for one in kept
            if one.get("field") not in quoted or f"「{one.get('value')}」" in plain(text)
        ]
        if kept and (reading.groups or reading.measures or found[0].groups == reading.groups):
            left = rows.samples.perform(
                "_probe", "transforms.filter", {"items": rows.sample, "conditions": kept}
            )
            if left is None or left["filtered"] or not rows.sample:
                return reading._replace(conditions=kept)
    if amount and amount not in text and not original.startswith(amount):
        return fitting_reading(rows, said, f"{amount} {original}")
    return found[0]._replace(conditions=[]) if found else nothing


_BOUND = re.compile(
    r"(?<![\d,.])\d[\d,.]{0,14}[万千億]?円?(?:以上|以下|未満|超|を超え)|"
    r"(?:over|under|more than|less than|at least|at most|above|below|exceed[a-z]{0,4}) [$£€]?\d|"
    r"(?<![\d,.])\d[\d,.]{0,14} or (?:more|above|less|below)"
)


def _is_meant(condition: Condition, original: str) -> bool:
    """The value IT is not the word it."""
    value = condition.get("value")
    if isinstance(value, str) and value.isascii() and value.isalpha() and len(value) < 4:
        return value in original or f"「{value}" in plain(original)
    return True


def kept_rows(
    work: Work, rows: Rows, reading: RowReading, told: tuple[str, str], *, is_sure: bool
) -> Rows:
    """Rows that are meant; the others, where leaving out changed nothing in the reading."""
    clause, text = told
    said = plain(clause)
    is_filtering = (
        is_sure
        or bool(acts_in(f" {said} ") & {"filter", "write", "measure", "group"})
        or has("excludes", said)
        or any(one.get("operator") not in ("eq", "contains") for one in reading.conditions)
    )
    if work.is_paired and _tells_pairs(said):
        return rows
    conditions, port = reading.conditions, "filtered"
    if has("excludes", said) and text.strip() and not _ONLY.search(said):
        inner = fitting_reading(rows, without(text, ("excludes",)), clause).conditions
        if inner and conditions in ([], inner):
            conditions, port = inner, "excluded"
    if not conditions or not is_filtering:
        return rows
    for one in conditions:
        if one.get("operator") in ("gt", "gte", "lt", "lte") and "value_field" not in one:
            tell_guess(work, rows, one["field"], said)
    return row_steps.keep(work.draft, rows, conditions, port)


_ONLY = re.compile("だけ|のみ|限|\\bonly\\b|\\bjust\\b")


def _tells_pairs(said: str) -> bool:
    return bool(
        find("nothing_changed", said)
        or find("unmatched", said)
        or find("sides", said)
        or re.search("差異|合わない|違う|異な|differ|mismatch|tie out", said)
    )


def tell_guess(work: Work, rows: Rows, column: str, said: str, *, is_named: bool = False) -> None:
    """A column of figures that the words do not name, where others could be meant."""
    if rows.profile is None or is_named or column in columns_named(said, rows.profile):
        return
    scene = scene_of(rows.profile)
    kinds = {
        one.name: scene.columns[one.name].is_money
        for one in rows.profile.columns
        if one.is_numeric and not one.is_identifier
    }
    is_money = any(one.kind == "money" for one in figures_in(said)) or has("money", said)
    others = [
        name
        for name, kind in kinds.items()
        if name != column and (kind == kinds.get(column) or not is_money)
    ]
    if others:
        names = work.draft.say("comma").join(others)
        work.draft.leave_open(work.draft.say("open.guess", column=column, others=names, text=said))


_ORDERS_EN = re.compile(
    r"(?:please |then |finally |next |now )?(?:[a-z-]{1,20}ly )?(?:highest|largest|oldest|"
    r"newest|lowest|"
    r"smallest|earliest|latest|pull|list|sort|put|write|save|"
    r"give|make|add|work|keep|leave|show|look|combine|match|"
    r"compare|calculate|compute|fill|get|count|sum|remove|drop|exclude|convert|flag|total|group|order|rank|ignore|take|merge|"
    r"stack|find|check|export|produce|create|build|reconcile|extract|read|round|append|mark|for|where|if|all|use|only|highlight|multiply|divide|subtract|select|filter)\b"
)


_COUNT = re.compile(
    r"(\d{1,5}) ?(?:件|行|枚|個|名|人|本|点|rows?|lines?|items?|records?|invoices?|of)|"
    r"(?:random|sample of) (\d{1,5})|(\d{1,5}) (?:[a-z]{1,20} ){0,2}(?:at random|random)"
)


def take_clause(work: Work, clause: str, sentence: str) -> bool:
    """Whether something of it found a place."""
    said = plain(clause)
    acts = acts_in(f" {said} ")
    if not _is_order(work, said, acts):
        return False
    if "template" in acts and any(one.kind == "template" for one in work.material.files):
        return True
    before = rows = work.rows_for(said)
    if rows is None or before is None or rows.profile is None:
        return bool(formats_in(said))
    text = without_sources(work, clause)
    rows = looked_up(work, rows, text, acts)
    is_of_table = re.search("上限|限度|limit", said) and any(
        one.tables for one in work.material.manuals
    )
    if labelled := tabled(work, rows) if is_of_table else judged(work, rows, text):
        work.flow(labelled)
        return True
    if is_of_table and work.used_tables:
        return True
    rows, text = _computed(work, rows, text, acts)
    if rows.profile is not None:
        work.flow(_shaped(work, rows, text, (clause, sentence), acts))
    if has("unmatched", said) and not work.is_paired:
        keep_unmatched(work)
    is_lost = bool(acts & {"compute", "lookup", "repeated"}) or has("excludes", said)
    is_written = bool(formats_in(said)) or "write" in acts
    return work.current is not before or (is_written and not is_lost)


def _is_order(work: Work, said: str, acts: frozenset[str]) -> bool:
    """Whether it asks for something; the sentences of a manual mostly tell."""
    if work.is_manual and language_of(said) == "en" and not _ORDERS_EN.match(said):
        return has("excludes", said) or bool(re.search('["“]|\\bgo(?:es)? on\\b', said))
    if NARRATIVE.search(said) and "compute" not in acts:
        return False
    return not has("purposes", said) or bool(acts & {"group", "measure", "pair"})


def _shaped(work: Work, rows: Rows, text: str, told: tuple[str, str], acts: frozenset[str]) -> Rows:
    """Kept, grouped, ordered, cut, picked: in this order, whatever the clause's."""
    assert rows.profile is not None
    clause, sentence = told
    said, draft = plain(clause), work.draft
    order, text = order_in(text, rows.profile)
    if "distinct" in acts or "repeated" in acts:
        rows, text = _repeats(work, rows, text, sentence, acts), ""
    elif found := days_between(rows.profile, text, work.asked):
        columns, conditions, values, text = found
        rows = row_steps.keep(draft, row_steps.compute(draft, rows, columns, values), conditions)
    elif bounds := asked_bounds(work, rows, text):
        rows, text = row_steps.keep(draft, rows, bounds), ""
    reading = fitting_reading(rows, text, clause)
    if work.is_paired and not reading.groups:
        reading = reading._replace(measures=[])
    if acts & {"lookup", "compute"} and "measure" not in acts:
        reading = reading._replace(groups=[], measures=[])
    rows = kept_rows(work, rows, reading, (clause, text), is_sure=order is not None)
    if "列は" not in said:
        rows = _aggregated(work, rows, reading, clause)
    if order is not None:
        rows = _ordered(work, rows, order, said)
    if reading.limit and reading.groups and order is None and rows.profile is not None:
        rows = _ordered(work, rows, Order(amount_column(rows.profile) or "", is_down=True), said)
    if reading.limit and (order is not None or reading.groups or "filter" in acts):
        rows = row_steps.limit(draft, rows, reading.limit)
    if chosen := picked(rows, said):
        rows = row_steps.pick(draft, rows, {name: name for name in chosen})
        if "distinct" in acts and "once" in said:
            rows = row_steps.distinct(draft, rows, chosen)
    return rows


def _ordered(work: Work, rows: Rows, order: Order, said: str) -> Rows:
    column = order.column
    is_meant = work.computed in rows.columns and plain(column) not in said
    if is_meant and work.computed != column:
        order, column = order._replace(is_named=True), work.computed  # 金額の大きい順, of 在庫金額
    if column not in rows.columns:
        column = amount_column(rows.profile) if rows.profile else None
    if column:
        is_named = order.is_named and column == order.column
        tell_guess(work, rows, column, said, is_named=is_named)
    if column and re.search("絶対値|absolute", said):
        size = work.draft.say("absolute", column=column)
        of = {size: f"abs({row_steps.column_expression(column)})"}
        rows, column = row_steps.compute(work.draft, rows, of), size
    return row_steps.sort(work.draft, rows, order._replace(column=column)) if column else rows


def take_sample(work: Work, rows: Rows, said: str) -> bool:
    """So many at random; with a condition, all that fit it and so many of the others."""
    match = _COUNT.search(said)
    if match is None:
        return False
    count = int(next(part for part in match.groups() if part))
    conditions: list[Condition] = []
    if (
        re.search("全件|全て|すべて|全部|all of|every|all the|それ以外|残り|the rest|others", said)
        and rows.profile
    ):
        head = re.split("それ以外|残り|ほか|the rest|the others|from the", said)[0]
        conditions = (
            fitting_reading(rows, without_sources(work, head)).conditions if rows.profile else []
        )
    if conditions:
        kept = row_steps.keep(work.draft, rows, conditions)
        rest = work.draft.rows(kept.ref.replace(".filtered}", ".excluded}"), rows.title, rows)
        some = row_steps.sample(work.draft, rest, count)
        work.flow(row_steps.union(work.draft, [kept, some.named(f"{rows.title}*")]))
    else:
        work.flow(row_steps.sample(work.draft, rows, count))
    return True


def _computed(work: Work, rows: Rows, text: str, acts: frozenset[str]) -> tuple[Rows, str]:
    for _ in range(4):
        formula = formula_in(text, rows.columns, work.computed)
        if formula is None:
            break
        name = formula.name or _computed_name(work, rows, text)
        name = as_written(work, name)
        rows = row_steps.compute(work.draft, rows, {name: formula.expression})
        start, end = formula.span
        head = re.sub(rf"{re.escape(plain(name))}\s?[(=:はを]?\s?$", " ", text[:start])
        text = re.sub(r"\(\s*\)", " ", f"{head} {text[end:]}")
        work.computed = name
    else:
        return rows, text
    if "compute" in acts and rows is work.current:
        rows, text = _by_nature(work, rows, text)
    return rows, text


def _computed_name(work: Work, rows: Rows, text: str) -> str:
    unknown = [name for name in work.columns if name not in rows.columns]
    named = [name for name in unknown if plain(name) in plain(text)]
    return (named or unknown or [work.draft.say("computed")])[0]


_TOTAL_NAME = re.compile(
    r"(?:work out|calculate|compute|figure out|get) (?:the |a |each )?([a-z][a-z "
    r"]{1,24}?)(?= and\b| for| per|,|$| of| in)|([^\s、。をはがの×]{1,12})を(?:計算|算出|"
    r"求め|出し)"
)


_OF_MONEY = re.compile("額$|合計|小計|代金|total|amount|value|cost|price")


def _by_nature(work: Work, rows: Rows, text: str) -> tuple[Rows, str]:
    """A line total that nobody defined: how many times what one costs."""
    counts = [name for name in rows.columns if has("quantity", plain(name))]
    prices = [name for name in rows.columns if has("price", plain(name)) and name not in counts]
    match = _TOTAL_NAME.search(text)
    if len(counts) != 1 or len(prices) != 1 or match is None:
        return rows, text
    name = as_written(work, next(part for part in match.groups() if part).strip())
    is_known = any(plain(name) == plain(column) for column in rows.columns)
    if is_known or not _OF_MONEY.search(plain(name)):
        return rows, text
    one, other = (row_steps.column_expression(column) for column in (counts[0], prices[0]))
    rows = row_steps.compute(work.draft, rows, {name: f"{one} * {other}"})
    work.computed = name
    return rows, text.replace(match[0], " ")


def _repeats(work: Work, rows: Rows, text: str, sentence: str, acts: frozenset[str]) -> Rows:
    assert rows.profile is not None
    names = columns_named(text, rows.profile) or columns_named(sentence, rows.profile)
    columns = "|".join(re.escape(plain(name)) for name in rows.columns)
    if "distinct" in acts and re.search(rf"one (?:row|line) per (?!.{{0,30}}(?:{columns}))", text):
        return rows
    if "distinct" in acts:
        is_last = bool(re.search("最後|最新|新しい|latest|last|newest", text))
        chosen = picked(rows, text) or ([name for name in names] if "once" in text else [])
        if "once" in text and len(names) == 1:
            near = [name for name in rows.columns if plain(name).startswith(plain(names[0]))]
            chosen = near
        if chosen:
            return row_steps.distinct(
                work.draft,
                row_steps.pick(work.draft, rows, {name: name for name in chosen}),
                chosen,
            )
        return row_steps.distinct(work.draft, rows, names[:1], is_last=is_last)
    if names:
        return row_steps.repeated(work.draft, rows, names[0])
    return rows


def _aggregated(work: Work, rows: Rows, reading: RowReading, clause: str) -> Rows:
    said = plain(clause)
    if reading.counted and not reading.groups and (who := _entity(rows, reading)):
        counts = row_steps.group(work.draft, rows, [(who, None)], [(None, "count")])
        bound = {"field": work.draft.say("measure.count"), **reading.counted}
        return row_steps.keep(work.draft, counts, [bound])
    if reading.groups and rows.profile is not None:
        measures = reading.measures
        is_told = has("acts.measure", said) or reading.is_cross or reading.limit or measures
        if not is_told:
            return rows
        if not measures and (amount := amount_column(rows.profile)) and not has("counted", said):
            measures = [(amount, "sum")]
        for column, _ in measures:
            if column is not None:
                tell_guess(work, rows, column, said)
        if reading.is_cross:
            first, second = _down_and_across([name for name, _ in reading.groups][:2], said)
            return row_steps.cross(
                work.draft, rows, first, second, (measures or [(None, "count")])[0]
            )
        made = row_steps.group(work.draft, rows, reading.groups, measures)
        work.is_grouped = True
        column, op = (measures or [(None, "count")])[0]
        work.computed = work.draft.say(f"measure.{op}", column=column) if column else ""
        if has("beside", said):
            work.extras.setdefault(rows.title, rows)
        return made
    if reading.measures and has("acts.measure", said) and not work.is_grouped and rows.profile:
        wanted = list(reading.measures)
        named = [column for column, _ in wanted if column and any(places_of(column, said))]
        if work.computed in rows.columns and not named:
            wanted = [(work.computed, "sum")]
        total = row_steps.group(work.draft, rows, (), wanted)
        names = total.columns
        if len(names) == 2 and re.search("差額|差$|その差|差異|difference", said):
            one, other = (row_steps.column_expression(name) for name in names)
            total = row_steps.compute(
                work.draft, total, {work.draft.say("difference"): f"{one} - {other}"}
            )
        work.draft.export(total.ref[2:-1], "total")
        work.extras[total.title] = total
    return rows


_NAMES = re.compile("氏名|名前|社員|会員|顧客|得意先|取引先|name|customer|employee|member|supplier")


def _entity(rows: Rows, reading: RowReading) -> str:
    """What is meant by those who: a column of names, that no condition speaks of."""
    said = {one.get("field") for one in reading.conditions}
    profile = rows.profile
    texts = [one.name for one in profile.columns if one.type == "text"] if profile else []
    free = [name for name in texts if name not in said]
    return next((name for name in free if _NAMES.search(plain(name))), free[0] if free else "")


def _down_and_across(names: Sequence[str], said: str) -> tuple[str, str]:
    places = [
        (
            min((start for start, _ in places_of(name, said)), default=said.find(plain(name)[-2:])),
            name,
        )
        for name in names
    ]
    first, second = (name for _, name in sorted(places))
    if re.search("横[^縦]{0,12}縦|columns?[^.]{0,30}rows?\\b|across[^.]{0,30}down", said):
        return second, first
    return first, second


def picked(rows: Rows, said: str) -> list[str]:
    """伝票番号・取引日・金額だけの表に: columns alone are what is to be written."""
    match = re.search(
        r"(?P<l>[^。]{3,200}?)(?:だけ|のみ|の列)|"
        r"(?:only|just)(?: the)? (?P<e>[a-z ,]{3,80}?)(?: columns?)(?:$|,| in| to|\.)|"
        r"with (?:only|just)(?: the)? (?P<w>[a-z ,]{3,80}?)(?:$| in\b| to\b|\.)|"
        r"\((?P<p>[a-z ]{1,20} and [a-z ]{1,20})\)",
        said,
    )
    if match is None or rows.profile is None:
        return []
    text = next(part for part in match.groups() if part)
    text = _GOES_ON.split(text)[-1]
    names = columns_named(text, rows.profile)
    for name in names:
        for start, end in list(places_of(name, text))[:1]:
            text = f"{text[:start]} {text[end:]}"
    is_list = match["l"] is None or not _NO_LIST.search(text)
    return names if 1 < len(names) < len(rows.columns) and is_list else []


_GOES_ON = re.compile("(?<=[をてでは])、")
_NO_LIST = re.compile("[がをで]|以上|以下|未満|超|下回|上回|ごと|別")
