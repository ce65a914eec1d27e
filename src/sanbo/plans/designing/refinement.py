"""A plan changed by a sentence, by rules: who approves; what else is asked, with the samples."""

import re
from typing import Any

import yaml

from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.designing.draft import written
from sanbo.plans.designing.people import people_in, role_names
from sanbo.plans.designing.vocabulary import plain

_NUMERALS = {"二": 2, "三": 3, "四": 4, "two": 2, "three": 3, "four": 4}
_COUNT = re.compile(
    r"([2-4二三四])\s?(?:人|名)|\b([2-4]|two|three|four) (?:approvers|people|persons)"
)
_INSTEAD = re.compile(
    "代わり|かわり|変更|変え|ではなく|instead|replace|change .{0,40} to|rather than|switch"
)
_APPROVER = re.compile("承認|決裁|approv|sign")
_WRITES = ("excel.write", "excel.update_workbook", "file.write_csv", "file.fill_template")


def with_approvers(text: str, change: str, language: Language) -> str | None:
    """The plan with those approvers that the sentence wants; None where it speaks of none."""
    if not _APPROVER.search(plain(change)):
        return None
    head = "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
    plan: dict[str, Any] = yaml.safe_load(text)
    nodes: list[dict[str, Any]] = plan["graph"]
    asked = [node for node in nodes if _is_approval(node)]
    names = [one.who for one in people_in(change)] or role_names(change)
    known = {plain(str(node["in"].get("role", ""))) for node in asked}
    named = [name for name in names if plain(name) not in known]
    count = _count(change)
    if _INSTEAD.search(plain(change)) and named and asked:
        _rename(asked[-1], named[0], language)
        return head + written(plan)
    unknown = max(0, count - len(asked) - len(named)) if count else 0
    for number in range(unknown):
        variable = f"approver_{len(asked) + len(named) + number + 1}"
        plan.setdefault("vars", {})[variable] = tell("plan_design.approver", language)
        point = tell("plan_design.open.approver", language)
        head += f"# {tell('plan_design.open_point', language)}: {point}\n"
        named.append(f"${{vars.{variable}}}")
    if not named:
        return None
    for name in named:
        _add(plan, name, language)
    if not unknown and isinstance(plan.get("description"), str):
        plan["description"] += f"\n{change}"
    return head + written(plan)


def _is_approval(node: dict[str, Any]) -> bool:
    return (
        node.get("block") == "ui.interactive_input" and node.get("in", {}).get("mode") == "confirm"
    )


def _count(change: str) -> int:
    match = _COUNT.search(plain(change))
    said = next((part for part in match.groups() if part), "") if match else ""
    return _NUMERALS.get(said) or (int(said) if said else 0)


def _rename(node: dict[str, Any], who: str, language: Language) -> None:
    node["in"]["role"] = who
    node["in"]["message"] = tell("plan_design.approve_message", language, who=who)
    node["title"] = tell("plan_design.approve", language, who=who)


def _add(plan: dict[str, Any], who: str, language: Language) -> None:
    """After the last approval, on its yes; what is written waits for this one too."""
    nodes: list[dict[str, Any]] = plan["graph"]
    asked = [node for node in nodes if _is_approval(node)]
    taken = {node["id"] for node in nodes}
    number = 2
    while f"approve_{number}" in taken:
        number += 1
    name = f"approve_{number}" if "approve" in taken else "approve"
    shown = tell("plan_design.approver", language) if who.startswith("${") else who
    made: dict[str, Any] = {
        "id": name,
        "title": "",
        "block": "ui.interactive_input",
        "in": {"mode": "confirm"},
    }
    writing = [
        node
        for node in nodes
        if node.get("block") in _WRITES or (node.get("type") == "loop" and "fill" in str(node))
    ]
    if asked:
        made["when"] = {"expr": f"${{{asked[-1]['id']}.approved}} == true"}
        if context := asked[-1]["in"].get("context"):
            made["in"]["context"] = context
    _rename(made, shown, language)
    made["in"]["role"] = who
    at = nodes.index(writing[0]) if writing else len(nodes)
    nodes.insert(at, made)
    for node in writing:
        when: dict[str, str] = node.get("when") or {}
        before = when.get("expr", "")
        passed = f"${{{name}.approved}} == true"
        node["when"] = {"expr": f"({before}) && {passed}" if before else passed}
    plan.setdefault("exports", []).append({"from": f"{name}.approved", "as": f"approved_{name}"})


def whole_instruction(text: str, change: str) -> str:
    """What the plan was made of, and the change: both are composed anew."""
    said = yaml.safe_load(text).get("description") or ""
    if not isinstance(said, str) or not said.strip():
        raise InvalidInput("plan_change_unread", change=change)
    return f"{said.replace('$${', '${')}\n{change}"


def refuse_unread(change: str, open_points: list[str]) -> None:
    """A change that found no place is told, and the plan stays as it was."""
    if any(plain(change).strip("。. ")[:20] in plain(point) for point in open_points):
        raise InvalidInput("plan_change_unread", change=change)
