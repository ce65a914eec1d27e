"""`control.policy_enforce` and `data.quality.validate_rules`: which records break which rule."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.control.record_rules import Rule, asked_of, broken
from sanbo.blocks.transforms.options import Option, read_as
from sanbo.runs.model import JsonObject


class Exceptions(Option):
    allow_list: tuple[str, ...] = ()


class Policy(Option):
    rules: list[Rule]
    exceptions: Exceptions = Exceptions()


class PolicyEnforce(Block[Given]):
    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        if isinstance(given.get("policy"), dict):
            _check(given["policy"])

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        policy = read_as(Policy, given.policy, "policy")
        items: list[JsonValue] = given.items or []
        found = [
            {"rule_id": rule.named, "item_ref": reference, "details": details}
            for rule, reference, details in broken(
                policy.rules, items, policy.exceptions.allow_list
            )
        ]
        options: JsonObject = given.options or {}
        is_strict = options.get("mode", "strict") == "strict"
        counts = {"items": len(items), "rules": len(policy.rules), "violations": len(found)}
        return {"violations": found, "passed": not found or not is_strict, "summary": counts}


class ValidateRules(Block[Given]):
    @classmethod
    @override
    def check_options(cls, given: Mapping[str, JsonValue]) -> None:
        if isinstance(given.get("rules"), list):
            _check({"rules": given["rules"]})

    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        rules = read_as(list[Rule], given.rules, "rules")
        items: list[JsonValue] = given.items or []
        found = [
            {"id": rule.named, "item_ref": reference, "type": rule.type, "details": details}
            for rule, reference, details in broken(rules, items)
        ]
        options: JsonObject = given.options or {}
        mode = "strict" if options.get("strict") else "report"
        counts = {"items": len(items), "rules": len(rules), "violations": len(found)}
        return {"violations": found, "passed": not found, "summary": {**counts, "mode": mode}}


def _check(policy: JsonValue) -> None:
    """What holds a reference is known only when it runs."""
    rules = policy.get("rules") if isinstance(policy, dict) else None
    for number, rule in enumerate(rules if isinstance(rules, list) else ()):
        if isinstance(rule, dict) and "${" not in str(rule):
            asked_of(read_as(Rule, rule, f"rules.{number}"))
