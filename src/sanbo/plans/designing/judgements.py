"""Labels and faults: 「要調査」 where something holds, and rows that break a rule."""

import re
from collections.abc import Sequence
from typing import Any

from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.row_formula import column_expression, days_between, formula_in
from sanbo.plans.designing.row_reading import Condition, amount_column, columns_named, read_rows
from sanbo.plans.designing.row_steps import compute, expression, keep, literal
from sanbo.plans.designing.sources import Manual
from sanbo.plans.designing.wording import has, plain
from sanbo.plans.designing.work import Work, as_written

_QUOTED = re.compile('「([^「」]{1,30})」|["“]([^"“”]{1,30})["”]')
_NOUN = re.compile("[一-龠ァ-ヶーa-z]{2,10}")
_COLUMN = re.compile(r"([^\s、。はをが「」]{1,12})(?:を|は|の欄には)\s?$")


def judged(work: Work, rows: Rows, text: str) -> Rows | None:
    """X以上は「要調査」、それ未満は「軽微」: a column of labels, by conditions in their order."""
    if rows.profile is None:
        return None
    draft, wanted, last, figure = work.draft, work.columns, work.judged, work.computed
    values = {plain(str(value)) for row in rows.sample for value in row.values()}
    heads = {plain(name) for name in rows.columns}
    labels = [
        one for one in _QUOTED.finditer(text) if plain(one[1] or one[2]) not in values | heads
    ]
    if not labels or re.search(
        "シート|sheet|ファイル名|用の", text[labels[0].end() : labels[0].end() + 6]
    ):
        return None
    made: list[tuple[str, str]] = []
    otherwise = ""
    name, start = "", 0
    for one in labels:
        before = text[start : one.start()]
        start = one.end()
        column = _COLUMN.search(before)
        if column and plain(column[1]) not in heads and _NOUN.fullmatch(column[1]):
            name = name or column[1]
        label = as_written(work, one[1] or one[2])
        if has("otherwise", before) and not _LIMIT.search(before):
            otherwise = label
            continue
        conditions = _conditions(rows, before) or (
            _conditions(rows, f"{figure}が{before}") if figure in rows.columns else []
        )
        if conditions:
            made.append(
                (_absolute(" && ".join(expression(each) for each in conditions), before), label)
            )
    if not made:
        return None
    unknown = [column for column in wanted if plain(column) not in heads]
    name = (
        next((column for column in unknown if plain(column) == name), "")
        or name
        or (unknown or [last or draft.say("judgement")])[-1]
    )
    # What is said last is the narrower: 45を超えたら…、60を超えたら….
    chosen = literal(otherwise)
    for condition, label in made:
        chosen = f"{condition} ? {literal(label)} : ({chosen})"
    if name in rows.columns:
        chosen = f'join([{column_expression(name)}, {chosen}].filter(x, x != ""), "・")'
    work.judged = name
    return compute(draft, rows, {name: chosen})


def _conditions(rows: Rows, text: str) -> list[Condition]:
    assert rows.profile is not None
    found = (one.conditions for one in read_rows(text, rows.profile) if one.conditions)
    return next(found, list[Condition]())


def _absolute(condition: str, said: str) -> str:
    if not re.search("絶対値|absolute|either way", said):
        return condition
    return re.sub(r"^(.{1,60}?) (>=|>|<=|<) ", r"abs(\1) \2 ", condition)


_LIMIT = re.compile(r"\d[\d,]{0,14}(?:\.\d{1,4})?")
_OVER = re.compile("超|上限|over|exceed|above|limit")
_NEVER = re.compile("not |不可|認め|対象外")


def tabled(work: Work, rows: Rows) -> Rows | None:
    """A manual's table that says which label a row gets: by conditions, or by limits."""
    heads = {_tight(name): name for name in rows.columns}
    missing = {_tight(name): name for name in work.columns if _tight(name) not in heads}
    for head, *lines in (table for one in work.material.manuals for table in one.tables):
        names = [_tight(cell) for cell in head]
        label = next((at for at, cell in enumerate(names) if cell in missing), None)
        if label is not None:
            made = _decided(work, rows, (head, lines), missing[names[label]], label)
        elif (
            names[0] in heads
            and (missing or work.judged)
            and heads[names[0]] not in work.used_tables
        ):
            name = [*missing.values(), work.judged][0] if missing else work.judged
            made = _limits(work, rows, heads[names[0]], lines, name)
        else:
            continue
        if made is not None:
            return made
    return None


def _tight(name: str) -> str:
    return re.sub(r"\s", "", plain(name))


def _decided(
    work: Work,
    rows: Rows,
    table: tuple[Sequence[str], Sequence[Sequence[str]]],
    name: str,
    label: int,
) -> Rows | None:
    """The first condition that holds gives the label."""
    head, lines = table
    heads = {_tight(column): column for column in rows.columns}
    made: list[tuple[str, str]] = []
    otherwise = ""
    for line in lines:
        others = [(head[at], cell) for at, cell in enumerate(line) if at != label]
        text = " ".join(
            f"{of}が{cell}" if _tight(of) in heads else cell for of, cell in others if len(cell) > 2
        )
        own = [heads[_tight(of)] for of, _ in others if _tight(of) in heads]
        said = re.sub("[(（].*", "", line[label])
        if has("otherwise", plain(text)):
            otherwise = said
        elif condition := _stated(work, rows, text, own):
            made.append((condition, said))
        else:
            work.draft.leave_open(work.draft.say("open.unplaced", text=" | ".join(line)))
    if not made:
        return None
    chosen = literal(otherwise)
    for condition, said in reversed(made):
        chosen = f"{condition} ? {literal(said)} : ({chosen})"
    needs_base = "base)" in chosen or "(base," in chosen
    values = {"base": next(iter(work.asked.values()))} if needs_base else None
    work.judged = name
    return compute(work.draft, rows, {name: chosen}, values)


def labelled_only(work: Work, rows: Rows) -> Rows:
    """Without the rows that no label was found for, where that is said."""
    name = work.judged
    if name not in rows.columns or not _ONLY_LABELLED.search(work.whole):
        return rows
    return keep(work.draft, rows, [{"field": name, "operator": "filled"}])


_ONLY_LABELLED = re.compile(
    "当てはまらない|該当しない|載せない|ある(?:もの|明細)だけ|not listed|are left out|only "
    "those|exceptions"
)


def _stated(work: Work, rows: Rows, text: str, own: Sequence[str]) -> str:
    """A condition in words as an expression; of the column `own`, where that heads the table."""
    assert rows.profile is not None
    parts: list[str] = []
    if span := days_between(rows.profile, text, work.asked):
        columns, conditions, _, text = span
        for name, between in columns.items():
            column = column_expression(name)
            parts += [expression(each).replace(column, between) for each in conditions]
    found = _conditions(rows, text)
    if len(own) == 1:
        bounds = ("gt", "gte", "lt", "lte")
        found = [
            {**one, "field": own[0]} if one.get("operator") in bounds else one for one in found
        ]
    parts += [expression(each) for each in found]
    if not parts and has("unmatched", plain(text)):
        linked = [one.made for one in work.tables if one.made and one.title in work.linked]
        known = {name for one in linked for name in one.columns} - set(work.first)
        parts = [f"isEmpty({column_expression(name)})" for name in rows.columns if name in known][
            -1:
        ]
    return _absolute(" && ".join(parts), text)


def _limits(
    work: Work, rows: Rows, column: str, lines: Sequence[Sequence[str]], name: str
) -> Rows | None:
    """宿泊費 12,000円, 会議費 1人あたり5,000円: what is above gets the label that speaks of it."""
    assert rows.profile is not None
    told = "\n".join(one.text for one in work.material.manuals)
    labels = [one[1] or one[2] for one in _QUOTED.finditer(told)]
    over = next((label for label in labels if _OVER.search(plain(label))), "")
    never = next((label for label in labels if _NEVER.search(plain(label))), "")
    amount = amount_column(rows.profile)
    if not over or amount is None:
        return None
    values = {str(row.get(column)) for row in rows.sample}
    chosen = literal("")
    for value, limit, *more in reversed([line for line in lines if line[0] in values]):
        number = _LIMIT.search(re.sub("1(?:人|泊|名|件)", "", limit))
        formula = formula_in(" ".join((limit, *more)), rows.columns)
        figure = formula.expression if formula else column_expression(amount)
        test = f"{column_expression(column)} == {literal(value)}"
        if number:
            test = f"{test} && {figure} > {number[0].replace(',', '')}"
        elif not never:
            continue
        chosen = f"{test} ? {literal(over if number else never)} : ({chosen})"
    if name in rows.columns:
        chosen = f'join([{chosen}, {column_expression(name)}].filter(x, x != ""), "・")'
    work.judged = name
    work.used_tables.add(column)
    return compute(work.draft, rows, {name: chosen})


# ---- rules that rows must keep ----

_DIGITS = re.compile(r"数字\s?(\d{1,2})\s?桁|(\d{1,2})[- ]?(?:digits?|桁)")
_LOOKS = re.compile(
    r"look(?:s)? like ([A-Za-z0-9-]{2,20})|例[:： ]?\s?([A-Za-z0-9-]{3,20})|"
    r"([A-Za-z]{1,5}-0{2,8})(?:の形|形式)"
)
_RANGE = re.compile(
    r"between (-?[\d.]{1,15}) and (-?[\d.]{1,15})|(?<![\d.])(-?[\d.]{1,15})\s?円?(?:以上|"
    r"から|～|〜)"
    r"\s?(-?[\d.]{1,15})\s?円?(?:以下|まで|の範囲)"
)
_UNIQUE = re.compile(
    "重複し(?:てい)?ない|一意|重複がない|重複なし|unique|no duplicates|not repeated|only once"
)
_FILLED = re.compile(
    "空欄(?:で)?(?:は)?ない|空でない|必須|入力(?:されている|があること)|not be empty|not be "
    "blank|not empty|required|must be filled|must have a|present"
)


def checked(
    draft: Draft, rows: Rows | None, sentence: str, manuals: Sequence[Manual]
) -> tuple[Rows, Rows] | None:
    """Rows that keep all rules, and those that do not, with what is wrong."""
    if rows is None or rows.profile is None:
        return None
    pieces = [piece for piece in re.split(r"[、。:：;]|,|\band\b", sentence) if piece.strip()]
    pieces += [" ".join(row) for one in manuals for table in one.tables for row in table]
    rules: list[dict[str, Any]] = []
    faults: dict[str, str] = {}
    field = ""
    for piece in pieces:
        names = columns_named(piece, rows.profile)
        field = names[0] if names else field
        if field:
            for rule, fault in _rule(draft, piece, field):
                rules.append({"id": f"{field}: {rule['type']}", "field": field, **rule})
                faults[f"{field}: {rule['type']}"] = fault
    if len(rules) < 2:
        return None
    draft.add(
        "check",
        "data.quality.validate_rules",
        {"items": rows.ref, "rules": rules},
        title=draft.say("validate"),
    )
    features = {
        f"_{one['field']}": {"op": "occurrences", "field": one["field"]}
        for one in rules
        if one["type"] == "unique"
    }
    if features:
        given = {"items": rows.ref, "config": {"features": features, "keep": "all"}}
        node = draft.add(
            "occurrences", "transforms.compute_features", given, title=draft.say("find_repeated")
        )
        rows = draft.rows(f"${{{node}.features}}", rows.title, rows)
    name = draft.say("faults")
    parts = [f"({fault} ? [{literal(rule)}] : [])" for rule, fault in faults.items()]
    told = compute(draft, rows, {name: f'join({" + ".join(parts)}, "、")'})
    bad = keep(draft, told, [{"field": name, "operator": "filled"}])
    good = draft.rows(bad.ref.replace(".filtered}", ".excluded}"), draft.say("sheet.good"), told)
    return good, bad.named(draft.say("broken_sheet"))


def _rule(draft: Draft, piece: str, field: str) -> list[tuple[dict[str, Any], str]]:
    column = column_expression(field)
    made: list[tuple[dict[str, Any], str]] = []
    if _FILLED.search(piece):
        made.append(({"type": "required"}, f"isEmpty({column})"))
    if _UNIQUE.search(piece):
        made.append(({"type": "unique"}, f'row["_{field}"] > 1'))
    if match := _RANGE.search(piece):
        low, high = (float(part) for part in match.groups() if part)
        made.append(
            (
                {"type": "range", "min": low, "max": high},
                f"({column} == null || {column} < {low:g} || {column} > {high:g})",
            )
        )
    pattern = ""
    if match := _DIGITS.search(piece):
        pattern = f"^[0-9]{{{match[1] or match[2]}}}$"
    elif match := _LOOKS.search(piece):
        shape = re.escape(next(part for part in match.groups() if part)).replace(r"\-", "-")
        is_loose = re.search("区切|分かれ|separated", piece)
        pattern = (
            "^"
            + re.sub(r"\d+", lambda run: "[0-9]+" if is_loose else f"[0-9]{{{len(run[0])}}}", shape)
            + "$"
        )
    if pattern:
        made.append(
            (
                {"type": "regex", "pattern": pattern},
                f'!matches(text(coalesce({column}, "")), {literal(pattern)})',
            )
        )
    _ = draft
    return made
