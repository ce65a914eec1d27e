"""Approvals as steps: each is asked in turn, on its condition, before anything is written."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.row_reading import amount_column, read_rows
from sanbo.plans.designing.row_steps import keep
from sanbo.plans.designing.vocabulary import has, language_of, plain

_SYMBOLS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "eq": "==", "ne": "!="}
_TOTAL = re.compile("合計|総額|総計|全体|total|sum|come to|comes to|adds? up to|altogether")


class Approval(NamedTuple):
    who: str
    condition: str
    says: str


def gates(draft: Draft, approvals: Sequence[Approval], results: Mapping[str, Rows]) -> str:
    """The expression that must hold before files are written."""
    asked: dict[str, Approval] = {}
    for one in approvals:
        known = asked.get(plain(one.who))
        is_closer = known is None or (
            one.condition and not known.condition and "を超え" in one.says
        )
        if is_closer and not any(
            plain(one.who) in other and plain(one.who) != other for other in asked
        ):
            asked[plain(one.who)] = one
    passed: list[str] = []
    before = ""
    for one in asked.values():
        draft.says = one.says
        condition = _condition(draft, one.condition, results) if one.condition else ""
        given: dict[str, Any] = {
            "mode": "confirm",
            "message": draft.say("approve_message", who=one.who),
            "role": one.who,
        }
        if results:
            given["context"] = {title: rows.ref for title, rows in list(results.items())[:3]}
        needs = [part for part in (before, condition) if part]
        more = {"when": " && ".join(needs)} if needs else {}
        node = draft.add(
            "approve",
            "ui.interactive_input",
            given,
            title=draft.say("approve", who=one.who),
            who=one.who,
            **more,
        )
        draft.export(f"{node}.approved", "approved")
        is_yes = f"${{{node}.approved}} == true"
        passed.append(f"({is_yes} || !({condition}))" if condition else is_yes)
        before = passed[-1]
    return " && ".join(passed)


def _condition(draft: Draft, said: str, results: Mapping[str, Rows]) -> str:
    """The expression on which a question is asked; empty where it can't be read."""
    if said.startswith("「"):
        for rows in results.values():
            for name in rows.columns:
                if any(str(row.get(name)) == said[1:-1] for row in rows.sample):
                    fitting = keep(
                        draft, rows, [{"field": name, "operator": "eq", "value": said[1:-1]}]
                    )
                    return f"size({fitting.ref}) > 0"
    for rows in results.values():
        if rows.profile is None:
            continue
        amount = amount_column(rows.profile, said)
        if amount is None:
            continue
        is_total = bool(_TOTAL.search(said))
        text = _TOTAL.sub("", said) if is_total else said
        for phrase in (
            text,
            f"{amount}が{text}" if language_of(said) == "ja" else f"{amount} {text}",
        ):
            for reading in read_rows(phrase, rows.profile):
                numeric = [
                    one
                    for one in reading.conditions
                    if one.get("operator") in _SYMBOLS and isinstance(one.get("value"), int | float)
                ]
                if is_total and numeric:
                    return _total(draft, rows, amount, numeric[0])
                if numeric and not is_total:
                    node = keep(draft, rows, numeric)
                    return f"size({node.ref}) > 0"
    main = next(iter(results.values()), None)
    if (
        main is not None
        and re.search(
            "差異|違い|不一致|不備|あ[れるっ]|difference|mismatch|problem|any|there (?:is|are)",
            said,
        )
        and not has("totals", said)
    ):
        return f"size({main.ref}) > 0"
    draft.leave_open(draft.say("open.condition", text=said))
    return ""


def _total(draft: Draft, rows: Rows, amount: str, condition: Mapping[str, Any]) -> str:
    given = {"items": rows.ref, "aggregations": {"total": {"field": amount, "op": "sum"}}}
    node = draft.add(
        "total", "transforms.group_by_agg", given, title=draft.say("total", measures=amount)
    )
    draft.export(f"{node}.rows", "total")
    return f"${{{node}.rows.0.total}} {_SYMBOLS[condition['operator']]} {condition['value']}"
