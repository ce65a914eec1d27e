"""One clause about rows: computed, kept, grouped, ordered, picked."""

import re
from collections.abc import Sequence

from sanbo.plans.designing import row_steps
from sanbo.plans.designing.arithmetic import MARK, formula_in, rounding_in
from sanbo.plans.designing.asked_values import asked_conditions, without_question
from sanbo.plans.designing.clauses import BLANK, NARRATIVE
from sanbo.plans.designing.column_lists import list_in
from sanbo.plans.designing.day_spans import days_between
from sanbo.plans.designing.draft import Rows
from sanbo.plans.designing.judgements import excepted, judged, tabled
from sanbo.plans.designing.order import Order, order_in
from sanbo.plans.designing.row_meaning import (
    fitting_reading,
    kept_rows,
    tell_guess,
    without_sources,
)
from sanbo.plans.designing.row_reading import (
    Condition,
    RowReading,
    amount_column,
    columns_named,
    places_of,
)
from sanbo.plans.designing.table_links import keep_unmatched, looked_up
from sanbo.plans.designing.vocabulary import (
    acts_in,
    formats_in,
    has,
    language_of,
    plain,
)
from sanbo.plans.designing.work import Work, as_written

_ORDERS_EN = re.compile(
    r"(?:please |then |finally |next |now )?(?:[a-z-]{1,20}ly )?(?:highest|largest|oldest|"
    r"newest|lowest|"
    r"smallest|earliest|latest|pull|list|sort|put|write|save|"
    r"give|make|add|work|keep|leave|show|look|combine|match|"
    r"compare|calculate|compute|fill|get|count|sum|remove|drop|"
    r"exclude|convert|flag|total|group|order|rank|ignore|take|"
    r"merge|"
    r"stack|find|check|export|produce|create|build|reconcile|"
    r"extract|read|round|append|mark|for|where|if|all|use|only|"
    r"highlight|multiply|divide|subtract|select|filter)\b"
)


_COUNT = re.compile(
    r"(\d{1,5}) ?(?:件|行|枚|個|名|人|本|点|rows?|lines?|items?|records?|invoices?|of)|"
    r"(?:random|sample of) (\d{1,5})|(\d{1,5}) (?:[a-z]{1,20} ){0,2}(?:at random|random)"
)


def take_clause(work: Work, clause: str, sentence: str) -> bool:
    """Whether something of it found a place."""
    said = plain(clause)
    acts = acts_in(f" {said} ")
    is_template = any(one.kind == "template" for one in work.material.files)
    if not _is_order(work, said, acts) or ("template" in acts and is_template):
        return "template" in acts and is_template
    before = rows = work.rows_for(said)
    if rows is None or before is None or rows.profile is None:
        return bool(formats_in(said))
    text = without_question(said) if work.asked else said
    if work.blank:
        text = _BLANK_REMARK.sub(" ", text)
        if BLANK.search(text) and formula_in(text, rows) is None:
            return True
    rows = looked_up(work, rows, without_sources(work, text), acts)
    by_table, is_of_table = _by_table(work, rows, clause)
    if by_table is not None:
        work.flow(by_table)
        return True
    rows, text = _computed(work, rows, text, acts)
    text = without_sources(work, text)
    if not is_of_table and (found := judged(work, rows, text)):
        rows, text = found
        work.flow(rows)
        if len(text.strip(" 、。,.")) < 4:
            return True
    text = _listed(work, rows, text)
    if rows.profile is not None:
        work.flow(_shaped(work, rows, text, (clause, sentence), acts))
    if has("unmatched", said) and not work.is_paired:
        keep_unmatched(work)
    if work.base is not None and work.current is not before:
        work.since.append((clause, sentence))
    is_lost = bool(acts & {"compute", "lookup", "repeated"}) or has("excludes", said)
    is_written = bool(formats_in(said)) or "write" in acts
    return work.current is not before or (is_written and not is_lost)


_BLANK_REMARK = re.compile(rf"[(（][^()（）]{{0,20}}(?:{BLANK.pattern})[^()（）]{{0,20}}[)）]")
_OF_TABLE = re.compile(
    "上限|限度|limit|(?:次|下|以下|上記)の?表|表の(?:とおり|通り)|(?:the|following|this) table"
)


def _by_table(work: Work, rows: Rows, clause: str) -> tuple[Rows | None, bool]:
    """By a table of the manual, or as an exception to it; and whether the clause is about one."""
    has_tables = any(one.tables for one in work.material.manuals)
    is_of_table = has_tables and bool(_OF_TABLE.search(plain(clause)))
    made = excepted(work, rows, clause)
    if made is None and is_of_table:
        made = tabled(work, rows) or (rows if work.used_tables else None)
    return made, is_of_table


def _is_order(work: Work, said: str, acts: frozenset[str]) -> bool:
    """Whether it asks for something; the sentences of a manual mostly tell."""
    if work.is_manual and language_of(said) == "en" and not _ORDERS_EN.match(said):
        return has("excludes", said) or bool(_STATES.search(said))
    if NARRATIVE.search(said) and "compute" not in acts:
        return False
    return not has("purposes", said) or bool(acts & {"group", "measure", "pair"})


_STATES = re.compile(
    '["“=]|\\bgo(?:es)? on\\b|\\bfirst\\b|\\bminus\\b|\\btimes\\b|multiplied|divided| x '
)


def _listed(work: Work, rows: Rows, text: str) -> str:
    """The text without the columns that it wants to see."""
    tables = [one.rows(work.draft) for one in work.tables if one.kind != "documents" or one.made]
    known = [*rows.columns, *work.columns, *(name for one in tables for name in one.columns)]
    found = list_in(text, list(dict.fromkeys(known)))
    if found is None:
        return text
    names, rest = found
    work.columns = [as_written(work, name) for name in names]
    return rest


def _shaped(work: Work, rows: Rows, text: str, told: tuple[str, str], acts: frozenset[str]) -> Rows:
    """Kept, grouped, ordered, cut, picked: in this order, whatever the clause's."""
    assert rows.profile is not None
    clause, sentence = told
    said, draft = plain(clause), work.draft
    order, text = order_in(text, rows.profile, work.computed)
    rows, text = _narrowed(work, rows, text, sentence, acts)
    reading = fitting_reading(rows, text, clause, work.computed)
    if not reading.conditions and _late(work, text, told):
        return work.current or rows
    reading = _sharpened(work, rows, reading, (said, plain(sentence)), acts)
    against = [one for one in reading.conditions if reading.groups and "value_field" in one]
    if against:
        reading = reading._replace(
            conditions=[one for one in reading.conditions if one not in against],
            measures=[(str(one["field"]), "sum") for one in against],
        )
    rows = kept_rows(work, rows, reading, (clause, text), is_sure=order is not None)
    if order is not None and order.is_extreme and reading.groups:
        by = [name for name, _ in reading.groups]
        return _extreme(work, rows, _each(said, rows, by) or by, order, said)
    if "列は" not in said:
        rows = _aggregated(
            work, rows, reading, clause, [str(one["value_field"]) for one in against]
        )
    for one in against:
        total = draft.say("measure.sum", column=one["field"])
        rows = row_steps.keep(draft, rows, [{**one, "field": total}])
    if order is not None:
        rows = _ordered(work, rows, order, said)
    is_one = order is not None and order.is_extreme and "filter" in acts
    count = (order.limit if order else None) or (1 if is_one else reading.limit)
    if count and order is None and reading.groups and rows.profile is not None:
        rows = _ordered(work, rows, Order(amount_column(rows.profile) or "", is_down=True), said)
    if count and (order is not None or reading.groups or "filter" in acts):
        _checkpoint(work, rows)
        rows = row_steps.limit(draft, rows, count)
    return rows


def _narrowed(
    work: Work, rows: Rows, text: str, sentence: str, acts: frozenset[str]
) -> tuple[Rows, str]:
    """By repeats, by days between two dates, or by what a person enters; and the rest."""
    assert rows.profile is not None
    draft = work.draft
    if ("distinct" in acts and "measure" not in acts) or "repeated" in acts:
        return _repeats(work, rows, text, sentence, acts), ""
    if found := days_between(rows.profile, text, work.asked):
        columns, conditions, values, rest = found
        work.used_asked |= {name for name in work.asked if name in text}
        spans = row_steps.compute(draft, rows, columns, values)
        return row_steps.keep(draft, spans, conditions), rest
    bounds, rest = asked_conditions(work, rows, text)
    return (row_steps.keep(draft, rows, bounds), rest) if bounds else (rows, text)


def _sharpened(
    work: Work, rows: Rows, reading: RowReading, told: tuple[str, str], acts: frozenset[str]
) -> RowReading:
    """Groups as the words beside say them; none where tables are compared or rows computed."""
    said, sentence = told
    if work.is_paired and (not reading.groups or "pair" in acts_in(f" {sentence} ")):
        reading = reading._replace(groups=[], measures=[])
    if not reading.is_cross and (own := _each(said, rows, [name for name, _ in reading.groups])):
        reading = reading._replace(groups=[one for one in reading.groups if one[0] in own])
    if not reading.groups and "group" in acts and not work.is_paired:
        reading = reading._replace(groups=_things(said, rows))
    if acts & {"lookup", "compute"} and "measure" not in acts:
        reading = reading._replace(groups=[], measures=[])
    if reading.is_cross:
        by = {name for name, _ in reading.groups}
        kept = [one for one in reading.conditions if one.get("field") not in by]
        reading = reading._replace(conditions=kept)
    return reading


def _late(work: Work, text: str, told: tuple[str, str]) -> bool:
    """A condition on rows as they were before they were grouped or cut: it is done there, and
    what was done since once more."""
    base, since = work.base, list(work.since)
    if base is None or not text.strip():
        return False
    reading = fitting_reading(base, text, told[0])
    is_meant = reading.conditions or has("excludes", plain(told[0]))
    rows = kept_rows(work, base, reading, (told[0], text), is_sure=False) if is_meant else base
    if rows is base:
        return False
    work.base, work.since, work.is_grouped = None, [], False
    work.flow(rows)
    for clause, sentence in since:
        take_clause(work, clause, sentence)
    return True


def _checkpoint(work: Work, rows: Rows) -> None:
    if work.base is None:
        work.base, work.since = rows, []


_EACH = re.compile(
    r"([^、。\s]{1,20}?)(?:ごと|毎に|別に|別の)|\b(?:each|per|"
    r"every) ([a-z]{1,20}(?: [a-z]{1,20}){0,2})"
)


def _each(said: str, rows: Rows, groups: Sequence[str]) -> list[str]:
    """The columns right beside the word that says so."""
    found = [part for match in _EACH.finditer(said) for part in match.groups() if part]
    return [
        name
        for name in groups
        if rows.profile and any(name in columns_named(one, rows.profile) for one in found)
    ]


def _things(said: str, rows: Rows) -> list[tuple[str, str | None]]:
    """社員ごと: the column that tells them apart, where none has this name."""
    words = [part.strip() for match in _EACH.finditer(said) for part in match.groups() if part]
    for word in words:
        if rows.profile and (named := columns_named(word, rows.profile)):
            return [(named[0], None)]
        bare = re.split("[のをにではが]", word)[-1]
        near = [name for name in rows.columns if len(bare) > 1 and plain(name).startswith(bare)]
        if near:
            return [(near[0], None)]
    return []


def _extreme(work: Work, rows: Rows, by: Sequence[str], order: Order, said: str) -> Rows:
    """品目ごとに単価が最も安いもの: of each group the row that comes first."""
    _checkpoint(work, rows)
    filled = row_steps.keep(work.draft, rows, [{"field": order.column, "operator": "filled"}])
    return row_steps.distinct(work.draft, _ordered(work, filled, order, said), by)


def _ordered(work: Work, rows: Rows, order: Order, said: str) -> Rows:
    column = order.column
    if column not in rows.columns:
        column = amount_column(rows.profile) if rows.profile else None
    if column:
        is_named = order.is_named and column == order.column
        tell_guess(work, rows, column, said, is_named=is_named or column == work.computed)
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
        picked = row_steps.sample(work.draft, rest, count)
        work.flow(row_steps.union(work.draft, [kept, picked.named(f"{rows.title}*")]))
    else:
        work.flow(row_steps.sample(work.draft, rows, count))
    return True


def _computed(work: Work, rows: Rows, text: str, acts: frozenset[str]) -> tuple[Rows, str]:
    for _ in range(4):
        formula = formula_in(text, rows, work.computed, work.blank)
        if formula is None:
            break
        name = formula.name or _computed_name(work, rows, text)
        name = as_written(work, name)
        rows = row_steps.compute(work.draft, rows, {name: formula.expression})
        text = formula.text.replace(MARK, name)
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
        picked = [name for name in names] if "once" in text else []
        if "once" in text and len(names) == 1:
            near = [name for name in rows.columns if plain(name).startswith(plain(names[0]))]
            picked = near
        if picked:
            return row_steps.distinct(
                work.draft,
                row_steps.pick(work.draft, rows, {name: name for name in picked}),
                picked,
            )
        return row_steps.distinct(work.draft, rows, names[:1], is_last=is_last)
    said = plain(sentence)
    same = names if len(re.findall("same|同じ|同一", said)) > 1 else []
    pair = re.search("(?:と|かつ|and|・|、)[^。]{0,30}(?:同じ|重複|same|両方|both|一致)", said)
    if names:
        return row_steps.repeated(
            work.draft,
            rows,
            same if len(same) > 1 else names if pair and len(names) == 2 else names[:1],
        )
    return rows


def _aggregated(
    work: Work, rows: Rows, reading: RowReading, clause: str, beside: Sequence[str] = ()
) -> Rows:
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
                tell_guess(work, rows, column, said, is_named=column == work.computed)
        if reading.is_cross:
            first, second = _down_and_across([name for name, _ in reading.groups][:2], said)
            return row_steps.cross(
                work.draft, rows, first, second, (measures or [(None, "count")])[0]
            )
        _checkpoint(work, rows)
        made = row_steps.group(work.draft, rows, reading.groups, measures, beside)
        work.is_grouped = True
        column, op = (measures or [(None, "count")])[0]
        work.computed = work.draft.say(f"measure.{op}", column=column) if column else ""
        if op == "avg" and (how := rounding_in(said)):
            of = f"{how[0]}({row_steps.column_expression(work.computed)}, {how[1]})"
            made = row_steps.compute(work.draft, made, {work.computed: of})
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
