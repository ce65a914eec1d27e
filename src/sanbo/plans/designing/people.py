"""Where people take part: who approves what, on which condition, and what waits for it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from sanbo.plans.designing.draft import Draft, Stream
from sanbo.plans.designing.row_phrases import amount_column, conditions_in
from sanbo.plans.designing.table_steps import told
from sanbo.plans.designing.vocabulary import find, has, language_of, roles_in

_SYMBOLS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "eq": "==", "ne": "!="}


class Gate(NamedTuple):
    """What must hold before anything that waits for an approval."""

    expression: str


def approve(
    draft: Draft, text: str, rows: Stream | None, shown: dict[str, str], after: Sequence[str] = ()
) -> list[Gate]:
    """One question for each who is named, one after the other."""
    condition = _condition(draft, text, rows)
    names = roles_in(text) or [draft.say("approver")]
    if not roles_in(text):
        draft.leave_open(draft.say("open.approver"))
    gates: list[Gate] = []
    before = condition
    for who in names:
        given: dict[str, object] = {
            "mode": "confirm",
            "message": draft.say("approve_message", who=who),
        }
        if roles_in(text):
            given["role"] = who
        if shown:
            given["context"] = dict(list(shown.items())[:3])
        when = {"when": before} if before else {}
        title = draft.say("approve", who=who)
        node = draft.add(
            "approve",
            "ui.interactive_input",
            given,
            title=title,
            who=who,
            after=list(after),
            **when,
        )
        draft.export(f"{node}.approved", "approved")
        passed = f"${{{node}.approved}} == true"
        gates.append(Gate(f"({passed} || {_negated(condition)})" if condition else passed))
        before = f"{before} && {passed}" if before else passed
    return gates


def _negated(condition: str) -> str:
    return f"!({condition})"


_UNTIL = re.compile("とき|時(?!間|点)|場合|なら|であれば|があれば|あれば|超えたら|超えれば")
_BOUND = re.compile(
    r"[\d.]{1,15}[百千万億]{0,2}円?(?:以上|以下|未満|超|を超え|より大き|より小さ)"
    r"|(?:above|over|more than|exceed(?:s|ing)?|greater than|at least|below|under|less than) "
    r"[$¥€]?[\d.,]{1,15}"
)
_IF = re.compile(r"\b(?:if|when|whenever|only for|where|for)\b(?P<condition>[^,]*)")


def _condition(draft: Draft, text: str, rows: Stream | None) -> str:
    """The expression on which the question is asked; empty where it always is."""
    said = _said(text)
    if not said:
        return ""
    if rows is None:
        draft.leave_open(draft.say("open.condition", text=said))
        return ""
    amount = amount_column(rows.profile, said) if rows.profile else None
    if rows.profile is not None and amount is not None:
        if (total := find("totals", said)) is not None and amount not in said:
            said = said.replace(total.word, amount, 1)
        found = conditions_in(said, rows.profile)
        if not found.all and (bound := _BOUND.search(said)):
            mine = f"{amount}が{bound[0]}" if language_of(said) == "ja" else f"{amount} {bound[0]}"
            found = conditions_in(mine, rows.profile)
        numeric = [one for one in found.all if one.get("operator") in _SYMBOLS]
        if has("totals", _said(text)) and numeric:
            one = numeric[0]
            given = {
                "items": rows.ref,
                "aggregations": {"total": {"field": one["field"], "op": "sum"}},
            }
            node = draft.add(
                "total",
                "transforms.group_by_agg",
                given,
                title=draft.say("total", measures=one["field"]),
            )
            return f"${{{node}.rows.0.total}} {_SYMBOLS[one['operator']]} {one['value']}"
        if found.all:
            given = {"items": rows.ref, "conditions": found.all}
            title = draft.say("filter_filtered", conditions=told(draft, found.all))
            node = draft.add("over", "transforms.filter", given, title=title)
            return f"size(${{{node}.filtered}}) > 0"
    if has("differences", said) or re.search("あ[れるっ]|1件|any|there (?:is|are)", text):
        return f"size({rows.ref}) > 0"
    draft.leave_open(draft.say("open.condition", text=said))
    return ""


def _said(text: str) -> str:
    if not has("condition", text):
        return ""
    if match := _UNTIL.search(text):
        over = "を超える" if match[0].startswith("超え") else ""
        return text[: match.start()].rstrip("を").strip("、 ") + over
    if match := _IF.search(text):
        return match["condition"].strip()
    return ""
