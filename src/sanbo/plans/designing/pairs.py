"""Two tables that belong together: the key that their values tell, looked up, compared."""

import re
from collections.abc import Sequence
from typing import Any

from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.row_formula import column_expression
from sanbo.plans.designing.row_reading import columns_named, places_of
from sanbo.plans.designing.row_steps import compute, keep, union
from sanbo.plans.designing.wording import has, plain

Key = list[tuple[str, str]]
Results = dict[str, Rows]
_AGREES = 0.3
"""The share of pairs with the same value from which two columns say the same thing."""
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,4})?) ?(?:%|パーセント|percent)")
_AMOUNT = re.compile(
    r"(?:more than|over|exceed[a-z]{0,4}|by) [$£€]?(\d[\d.]{0,14})|"
    r"(?<![\d.])(\d[\d.]{0,14})[円個件]?(?:を超え|超|以上|より大き)"
)


def key_of(left: Rows, right: Rows, text: str = "") -> Key:
    """Columns whose values meet, the one that tells rows apart best; several where one does not."""
    named = set(columns_named(text, left.profile) if text and left.profile else [])
    named |= set(columns_named(text, right.profile) if text and right.profile else [])
    ranked: list[tuple[float, str, str]] = []
    for one in left.columns:
        for other in right.columns:
            score = _likeness(left, one, right, other)
            if score > 0:
                if not _is_figure(left, one):
                    score += 0.6 * (one in named) + 0.6 * (other in named)
                ranked.append((score, one, other))
    ranked.sort(key=lambda each: -each[0])
    made: Key = []
    for _, one, other in ranked:
        if any(one == a or other == b for a, b in made):
            continue
        if made and plain(one) != plain(other) and not _values(left, one) <= _values(right, other):
            continue
        made.append((one, other))
        if is_unique(right, [b for _, b in made]) or is_unique(left, [a for a, _ in made]):
            return made
    return made[:1]


def _likeness(left: Rows, one: str, right: Rows, other: str) -> float:
    mine, theirs = _values(left, one), _values(right, other)
    is_same = plain(one) == plain(other)
    met = len(mine & theirs) / max(1, min(len(mine), len(theirs)))
    if not met or (met < 0.3 and not is_same):
        return 0
    is_first = left.columns[0] == one and right.columns[0] == other
    if _is_figure(left, one) or _is_figure(right, other):
        if not is_same or not (is_unique(left, [one]) or is_unique(right, [other])):
            return 0
        met *= 1 if is_first else 0.5
    apart = max(len(theirs) / max(1, len(right.sample)), len(mine) / max(1, len(left.sample)))
    return met + 0.5 * is_same + apart + 0.3 * is_first


def _is_figure(rows: Rows, name: str) -> bool:
    column = rows.profile.column(name) if rows.profile else None
    return column is not None and (
        (column.is_numeric and not column.is_identifier) or column.is_temporal
    )


def _form(value: Any) -> str:
    text = plain(str(value)).strip()
    return text.removesuffix(".0")


def _values(rows: Rows, name: str) -> set[str]:
    return {_form(row[name]) for row in rows.sample if row.get(name) not in (None, "")}


def is_unique(rows: Rows, names: Sequence[str]) -> bool:
    keys = [tuple(_form(row.get(name)) for name in names) for row in rows.sample]
    return len(set(keys)) == len(keys)


def share_met(left: Rows, right: Rows, key: Key) -> float:
    mine = {tuple(_form(row.get(a)) for a, _ in key) for row in left.sample}
    theirs = {tuple(_form(row.get(b)) for _, b in key) for row in right.sample}
    return len(mine & theirs) / max(1, min(len(mine), len(theirs)))


def _sides(key: Key) -> dict[str, Any]:
    left, right = [a for a, _ in key], [b for _, b in key]
    return {
        "left_key": left if len(left) > 1 else left[0],
        "right_key": right if len(right) > 1 else right[0],
    }


def joined(  # noqa: PLR0917
    draft: Draft, left: Rows, right: Rows, key: Key, strategy: str, title: str, **options: str
) -> Rows:
    given: dict[str, Any] = {
        "left": left.ref,
        "right": right.ref,
        **_sides(key),
        "strategy": strategy,
    }
    if options:
        given["options"] = options
    node = draft.add("join", "transforms.join", given, title=title)
    return draft.rows(f"${{{node}.rows}}", left.title, left)


def look_up(draft: Draft, rows: Rows, master: Rows, key: Key) -> Rows:
    """All of the rows, with what the master says of each."""
    there = [name for name in master.columns if name not in {b for _, b in key}]
    title = draft.say("lookup", table=master.title, fields=draft.say("comma").join(there))
    return joined(draft, rows, master, key, "left", title, duplicates="first")


def without_partner(draft: Draft, rows: Rows, other: Rows, key: Key) -> Rows:
    title = draft.say("kind.only_left", left=rows.title, right=other.title)
    return joined(draft, rows, other, key, "anti", title).named(title)


def added_up(draft: Draft, rows: Rows, key: Sequence[str]) -> Rows:
    """One row a key: figures are added, of the rest the first stays."""
    if is_unique(rows, key):
        return rows
    shown: dict[str, dict[str, str]] = {}
    for name in rows.columns:
        if name not in key:
            shown[name] = {
                "field": name,
                "op": "sum" if _is_figure(rows, name) and not _is_day(rows, name) else "first",
            }
    given = {"items": rows.ref, "by": list(key), "aggregations": shown}
    title = draft.say(
        "group", by=draft.say("comma").join(key), measures=draft.say("comma").join(shown)
    )
    node = draft.add("added_up", "transforms.group_by_agg", given, title=title)
    return draft.rows(f"${{{node}.rows}}", rows.title, rows)


def _is_day(rows: Rows, name: str) -> bool:
    column = rows.profile.column(name) if rows.profile else None
    return column is not None and column.is_temporal


def compared_columns(left: Rows, right: Rows, key: Key) -> list[tuple[str, str]]:
    """Columns of the same name, else those whose values mostly agree where the keys do."""
    mine = [name for name in left.columns if name not in {a for a, _ in key}]
    theirs = [name for name in right.columns if name not in {b for _, b in key}]
    same = [(one, other) for one in mine for other in theirs if plain(one) == plain(other)]
    by_key = {tuple(_form(row.get(b)) for _, b in key): row for row in right.sample}
    met = [
        (row, by_key[found])
        for row in left.sample
        if (found := tuple(_form(row.get(a)) for a, _ in key)) in by_key
    ]
    ranked: list[tuple[float, str, str]] = []
    for one in mine:
        for other in theirs:
            agree = [_form(a.get(one)) == _form(b.get(other)) for a, b in met]
            if agree and sum(agree) / len(agree) >= _AGREES:
                ranked.append((sum(agree) / len(agree), one, other))
    made = list(same)
    for _, one, other in sorted(ranked, reverse=True):
        if all(one != a and other != b for a, b in made):
            made.append((one, other))
    if not made:
        figures = (
            [name for name in mine if _is_figure(left, name)],
            [name for name in theirs if _is_figure(right, name)],
        )
        if figures[0] and figures[1]:
            made = [(figures[0][-1], figures[1][-1])]
    return made


def _tell_compared(draft: Draft, both: Sequence[tuple[str, str]], text: str) -> None:
    """Columns of other names, which the words do not name either."""
    for one, other in both[:1]:
        if plain(one) != plain(other) and not (_is_named(one, text) and _is_named(other, text)):
            draft.leave_open(draft.say("open.compared", left=one, right=other))


def _is_named(name: str, text: str) -> bool:
    return any(True for _ in places_of(name, text))


def compare(
    draft: Draft, left: Rows, right: Rows, text: str, *, sides: bool = True
) -> tuple[Rows, Results] | None:
    """What differs where the keys meet, and what only one of them has."""
    key = key_of(left, right, text)
    if not key:
        return None
    left, right = (
        added_up(draft, left, [a for a, _ in key]),
        added_up(draft, right, [b for _, b in key]),
    )
    both = compared_columns(left, right, key)
    _tell_compared(draft, both, text)
    is_versions = has("old", f"{text} {plain(left.title)}") and set(
        map(plain, left.columns)
    ) == set(map(plain, right.columns))
    names = {
        name: draft.say(f"kind.{name}", left=left.title, right=right.title)
        for name in ("added", "removed", "changed", "only_left", "only_right", "differs")
    }
    suffix = draft.say("suffix", name=right.title)
    pairs = joined(draft, left, right, key, "all", draft.say("pairs"), suffix=suffix)
    taken = {other: f"{other}{suffix}" if other in left.columns else other for _, other in both}
    if any(name.endswith(suffix) for name in taken.values()):
        own = draft.say("suffix", name=left.title)
        rename = {one: f"{one}{own}" for one, other in both if taken[other] != other}
        node = draft.add(
            "sides",
            "transforms.rename_fields",
            {"items": pairs.ref, "rename": rename},
            title=draft.say("pairs"),
        )
        pairs = draft.rows(f"${{{node}.rows}}", pairs.title, pairs)
        both = [(rename.get(one, one), taken[other]) for one, other in both]
    differs = _differing(draft, pairs, both, text)
    title = names["changed" if is_versions else "differs"]
    results: Results = {title: differs.named(title)}
    if sides:
        swapped = [(b, a) for a, b in key]
        first, second = ("removed", "added") if is_versions else ("only_left", "only_right")
        results[names[first]] = without_partner(draft, left, right, key).named(names[first])
        results[names[second]] = without_partner(draft, right, left, swapped).named(names[second])
        whole = union(draft, list(results.values()), draft.say("kind_column")).named(
            draft.say("sheet.differences")
        )
        return whole, {whole.title: whole, **results}
    return results[title], results


_MOVED = re.compile(r"(?:より|比べて|比で)[^、。]{0,8}(?:(?P<down>減|下が|落ち)|増え|上が|伸び)")


def _over(text: str, pair: tuple[str, str]) -> dict[str, str] | None:
    """Over budget, 予算を超え: one of the two against the other."""
    for name, other in (pair, pair[::-1]):
        bare = re.escape(plain(re.sub(r"\s?[(（].*", "", name)))
        if re.search(
            rf"(?:over|above|exceed[a-z]{{0,4}}|more than) (?:the |its |their )?{bare}|"
            rf"{bare}(?:を|より)(?:超|上回|多|オーバー)",
            text,
        ):
            return {"field": other, "operator": "gt", "value_field": name}
        if re.search(
            rf"(?:under|below|less than) (?:the |its |their )?{bare}|{bare}(?:を|"
            rf"より)(?:下回|少な|割)",
            text,
        ):
            return {"field": other, "operator": "lt", "value_field": name}
    return None


def _differing(draft: Draft, pairs: Rows, both: Sequence[tuple[str, str]], text: str) -> Rows:
    figures = [
        pair
        for pair in both
        if _is_figure(pairs, pair[0]) and _is_figure(pairs, pair[1]) and not _is_day(pairs, pair[0])
    ]
    moved = [
        pair
        for pair in figures
        if any(row.get(pair[0]) != row.get(pair[1]) for row in pairs.sample)
    ]
    figures = moved or figures
    if figures:
        one, other = (column_expression(name) for name in figures[0])
        name = draft.say("difference")
        columns = {name: f"{other} - {one}"}
        share, amount = _SHARE.search(text), _AMOUNT.search(text)
        if share:
            columns[draft.say("change_rate")] = f"round(({other} - {one}) / {one}, 4)"
        pairs = compute(draft, pairs, columns)
        field = draft.say("change_rate") if share else name
        if more := _over(text, figures[0]):
            return keep(draft, pairs, [more])
        if moved_so := _MOVED.search(text):
            operator = "lt" if moved_so["down"] else "gt"
            return keep(draft, pairs, [{"field": name, "operator": operator, "value": 0}])
        bound = (
            float(share[1]) / 100
            if share
            else float((amount[1] or amount[2]).rstrip("."))
            if amount
            else 0
        )
        if bound:
            far = [
                {"field": field, "operator": "gt", "value": bound},
                {"field": field, "operator": "lt", "value": -bound},
            ]
            return keep(draft, pairs, [{"any": far}])
    conditions: list[dict[str, Any]] = []
    for one, other in both:
        conditions.append({"field": one, "operator": "ne", "value_field": other})
        for a, b in ((one, other), (other, one)):
            conditions.append(
                {"all": [{"field": a, "operator": "filled"}, {"field": b, "operator": "empty"}]}
            )
    return keep(draft, pairs, [{"any": conditions}]) if conditions else pairs
