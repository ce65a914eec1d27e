"""`control.sod_check`: who holds what one person must not hold together."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.transforms.options import Option, read_as
from sanbo.kernel.problems import InvalidInput


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
