"""Who may do what: whether those who had to approve did, each in turn (`control.approval`), and who
holds what one person must not hold together (`control.sod_check`).
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, Literal

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.transforms.options import Option, read_as
from sanbo.kernel.problems import InvalidInput

# ---- approvals -----------------------------------------------------------------------------------


_ROLE = "role:"


class Needed(Option):
    type: Literal["any", "all", "n_of_m"] = "any"
    n: int | None = None


class Level(Option):
    id: str
    approvers: list[str]
    rule: Needed = Needed()
    name: str = ""


class Route(Option):
    levels: list[Level]
    due_date: str | None = None


class Decision(Option):
    level_id: str
    approver_id: str
    decision: Literal["approve", "reject"]
    comment: str | None = None
    timestamp: str | None = None


class Approval(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        route = read_as(Route, given.route_definition, "route_definition")
        decisions = read_as(list[Decision], given.decisions or [], "decisions")
        _check(route, decisions)
        roles = _roles(given.context)
        levels = [_Standing(level, decisions, roles) for level in route.levels]
        found = [*_unauthorized(levels), *_out_of_order(levels), *_incomplete(levels)]
        return {
            "approved": not found,
            "route_log": {
                "levels": [each.told for each in levels],
                **({"due_date": route.due_date} if route.due_date else {}),
            },
            "violations": found,
        }


def _check(route: Route, decisions: Sequence[Decision]) -> None:
    """A route without anybody on it would approve everything."""
    names = [level.id for level in route.levels]
    if not names or any(not level.approvers for level in route.levels):
        raise InvalidInput("control_route_empty")
    if unknown := [each.level_id for each in decisions if each.level_id not in names]:
        raise InvalidInput(
            "control_level_unknown", level=unknown[0], known="、".join(dict.fromkeys(names))
        )
    for level in route.levels:
        rule, most = level.rule, len(level.approvers)
        if rule.type == "n_of_m" and not 1 <= (rule.n or 0) <= most:
            raise InvalidInput("control_rule_n", level=level.id, most=most)


def _roles(context: JsonValue) -> Mapping[str, Sequence[str]]:
    """`context.roles`: the roles of each user."""
    roles = context.get("roles") if isinstance(context, dict) else None
    found: dict[str, Sequence[str]] = {}
    for user, named in roles.items() if isinstance(roles, dict) else ():
        found[user] = [str(each) for each in (named if isinstance(named, list) else [named])]
    return found


class _Standing:
    """Where a level stands."""

    def __init__(
        self, level: Level, decisions: Sequence[Decision], roles: Mapping[str, Sequence[str]]
    ) -> None:
        self.level = level
        given = [each for each in decisions if each.level_id == level.id]
        latest = {each.approver_id: each for each in sorted(given, key=_time)}
        self.latest = list(latest.values())
        self.counted = [each for each in self.latest if _may(each.approver_id, level, roles)]
        self.status, self.needed = self._status()

    def _status(self) -> tuple[str, int]:
        rule, level = self.level.rule, self.level
        needed = {"any": 1, "all": len(level.approvers), "n_of_m": rule.n or 1}[rule.type]
        if any(each.decision == "reject" for each in self.counted):
            return "rejected", needed
        approving = sum(each.decision == "approve" for each in self.counted)
        return ("satisfied" if approving >= needed else "pending"), needed

    @property
    def told(self) -> dict[str, Any]:
        approving = sum(each.decision == "approve" for each in self.counted)
        return {
            "id": self.level.id,
            "rule": self.level.rule.model_dump(exclude_none=True),
            "approvers": self.level.approvers,
            "decisions": [each.model_dump(exclude_none=True) for each in self.latest],
            "status": self.status,
            "detail": f"{approving}/{self.needed}",
        }

    @property
    def settled_at(self) -> str | None:
        """When its last approval came; None where it did not, or nobody wrote it down."""
        times = [each.timestamp for each in self.counted if each.decision == "approve"]
        if self.status != "satisfied" or not times or not all(times):
            return None
        return sorted(str(each) for each in times)[self.needed - 1]


def _time(decision: Decision) -> tuple[bool, str]:
    """In order of time; those without one as they are listed, before the others."""
    stamp = decision.timestamp
    if stamp is not None:
        try:
            datetime.fromisoformat(stamp)
        except ValueError:
            raise InvalidInput("control_timestamp", given=stamp[:40]) from None
    return stamp is not None, stamp or ""


def _may(approver: str, level: Level, roles: Mapping[str, Sequence[str]]) -> bool:
    named = {each.removeprefix(_ROLE) for each in level.approvers if each.startswith(_ROLE)}
    return approver in level.approvers or bool(named & set(roles.get(approver, ())))


def _unauthorized(levels: Sequence[_Standing]) -> Iterator[dict[str, str]]:
    for each in levels:
        for decision in each.latest:
            if decision not in each.counted:
                yield {
                    "type": "unauthorized_approver",
                    "level_id": each.level.id,
                    "approver_id": decision.approver_id,
                }


def _out_of_order(levels: Sequence[_Standing]) -> Iterator[dict[str, str]]:
    """Who approves before the level below is through."""
    for before, each in pairwise(levels):
        for decision in each.counted:
            settled = before.settled_at
            is_early = before.status != "satisfied" or bool(
                settled and decision.timestamp and decision.timestamp < settled
            )
            if decision.decision == "approve" and is_early:
                yield {
                    "type": "order_violation",
                    "level_id": each.level.id,
                    "approver_id": decision.approver_id,
                }


def _incomplete(levels: Sequence[_Standing]) -> Iterator[dict[str, str]]:
    for each in levels:
        if each.status != "satisfied":
            yield {"type": "level_incomplete", "level_id": each.level.id}


# ---- duties that stay apart ----------------------------------------------------------------------


class Assignment(Option):
    user_id: str
    roles: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()


class Conflict(Option):
    rule: Literal["mutual_exclusion", "role_action_separation"] = "mutual_exclusion"
    id: str | None = None
    roles_any: tuple[str, ...] = ()
    roles_all: tuple[str, ...] = ()
    actions_any: tuple[str, ...] = ()
    actions_all: tuple[str, ...] = ()


class Matrix(Option):
    conflicts: list[Conflict]


class SodCheck(Block[Given]):
    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        if isinstance(given.get("sod_matrix"), dict) and "${" not in str(given["sod_matrix"]):
            _matrix(given["sod_matrix"])

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        users = read_as(list[Assignment], given.assignments or [], "assignments")
        matrix = _matrix(given.sod_matrix)
        found = [
            {"user_id": user.user_id, "conflict": conflict}
            for user in users
            for rule in matrix.conflicts
            for conflict in _conflicts(rule, user)
        ]
        return {
            "violations": found,
            "summary": {
                "users": len({user.user_id for user in users}),
                "violations": len(found),
                **({"scope": given.scope} if given.scope else {}),
            },
        }


def _matrix(given: JsonValue) -> Matrix:
    """A rule that names nothing would pass everybody."""
    matrix = read_as(Matrix, given, "sod_matrix")
    for number, each in enumerate(matrix.conflicts):
        exclusive = each.rule == "mutual_exclusion"
        enough = (
            len(each.roles_any) >= 2
            if exclusive
            else each.roles_all and (each.actions_any or each.actions_all)
        )
        if not enough:
            lacks = "roles_any" if exclusive else "roles_all, actions_any / actions_all"
            raise InvalidInput("control_rule_lacks", rule=each.id or f"#{number + 1}", lacks=lacks)
    return matrix


def _conflicts(rule: Conflict, user: Assignment) -> Iterator[dict[str, Any]]:
    named = {"id": rule.id} if rule.id else {}
    if rule.rule == "mutual_exclusion":
        held = [role for role in rule.roles_any if role in user.roles]
        if len(held) >= 2:
            yield {"rule": rule.rule, "roles": held, **named}
        return
    done = [action for action in rule.actions_any if action in user.actions]
    all_done = bool(rule.actions_all) and set(rule.actions_all) <= set(user.actions)
    if set(rule.roles_all) <= set(user.roles) and (done or all_done):
        actions = list(dict.fromkeys((*done, *(rule.actions_all if all_done else ()))))
        yield {"rule": rule.rule, "roles": list(rule.roles_all), "actions": actions, **named}
