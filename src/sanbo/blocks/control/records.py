"""Records under control: which break which rule (`control.policy_enforce`,
`data.quality.validate_rules`), and which of them are looked at, the same again next time
(`control.sampling`).
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import AliasChoices, Field, JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.transforms.filter import Question, read_conditions
from sanbo.blocks.transforms.options import Option, read_as
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import JsonObject
from sanbo.tables.operators import Check, check_of, operator_of
from sanbo.tables.rows import Missing, path_of
from sanbo.tables.values import as_number, is_blank, key_of

# ---- rules ---------------------------------------------------------------------------------------


Details = dict[str, Any]
Asked = Callable[[JsonValue], Details | None]
"""What is wrong with a record; None where nothing is."""
_REFERRED = ("id", "_id")
_LISTED = ("id", "po_no", "invoice_no")


class Forbidden(Option):
    field: str
    operator: str = Field(default="eq", validation_alias=AliasChoices("operator", "op"))
    value: JsonValue = None


class Rule(Option):
    id: str = ""
    type: Literal["threshold", "required", "forbidden", "regex", "unique", "range"]
    field: str = ""
    fields: tuple[str, ...] | str = ()
    op: str = Field(default="lte", validation_alias=AliasChoices("op", "operator"))
    value: JsonValue = None
    condition: Forbidden | None = None
    pattern: str = ""
    min: JsonValue = None
    max: JsonValue = None

    @property
    def named(self) -> str:
        return self.id or self.type

    @property
    def all_fields(self) -> list[str]:
        several = (self.fields,) if isinstance(self.fields, str) else self.fields
        return [each for each in (*several, self.field) if each]


def reference_of(record: JsonValue, position: int) -> JsonValue:
    """How a record is named in a finding: by its id, or by its place."""
    if isinstance(record, dict):
        for name in _REFERRED:
            if not is_blank(record.get(name)):
                return record[name]
    return position


def is_excepted(record: JsonValue, allowed: Sequence[str]) -> bool:
    """`vendor_id:V003` names a field; a word alone is an id, an order's or an invoice's number."""
    for entry in allowed:
        field, colon, value = entry.partition(":")
        names, wanted = ((field.strip(),), value) if colon else (_LISTED, entry)
        if any(key_of(value_in(record, name)) == key_of(wanted.strip()) for name in names):
            return True
    return False


def value_in(record: JsonValue, field: str) -> JsonValue:
    found = path_of(field).of(record)
    return None if isinstance(found, Missing) else found


def broken(
    rules: Sequence[Rule], records: Sequence[JsonValue], allowed: Sequence[str] = ()
) -> Iterator[tuple[Rule, JsonValue, Details]]:
    """Rule by rule, each with the record that does not keep it and what is wrong there."""
    kept = [
        (reference_of(record, position), record)
        for position, record in enumerate(records)
        if not is_excepted(record, allowed)
    ]
    for rule in rules:
        asked = asked_of(rule)
        for reference, record in kept:
            if (details := asked(record)) is not None:
                yield rule, reference, details


def asked_of(rule: Rule) -> Asked:
    """A rule that can't be understood is refused: a control that passes everything is none."""
    match rule.type:
        case "required":
            return _required(rule)
        case "forbidden":
            return _forbidden(rule)
        case "unique":
            return _unique(_one_field(rule))
        case "regex":
            return _regex(rule)
        case "threshold":
            return _limited(rule, {rule.op: rule.value})
        case "range":
            limits = {"gte": rule.min, "lte": rule.max}
            return _limited(rule, {op: value for op, value in limits.items() if value is not None})


def _one_field(rule: Rule) -> str:
    if len(rule.all_fields) != 1:
        raise InvalidInput("control_rule_lacks", rule=rule.named, lacks="field")
    return rule.all_fields[0]


def _required(rule: Rule) -> Asked:
    fields = rule.all_fields
    if not fields:
        raise InvalidInput("control_rule_lacks", rule=rule.named, lacks="fields")

    def asked(record: JsonValue) -> Details | None:
        missing = [field for field in fields if is_blank(value_in(record, field))]
        return {"missing": missing} if missing else None

    return asked


def _forbidden(rule: Rule) -> Asked:
    if rule.condition is None:
        raise InvalidInput("control_rule_lacks", rule=rule.named, lacks="condition")
    condition = rule.condition
    check = check_of(operator_of(condition.operator), condition.value)

    def asked(record: JsonValue) -> Details | None:
        left = value_in(record, condition.field)
        if not check(left):
            return None
        told = {"operator": condition.operator, "value": condition.value}
        return {"field": condition.field, "left": left, **told}

    return asked


def _unique(field: str) -> Asked:
    seen: set[object] = set()

    def asked(record: JsonValue) -> Details | None:
        """The first is as it should be; each that comes again is one too many."""
        value = value_in(record, field)
        key = key_of(value)
        if is_blank(value):
            return None
        if key in seen:
            return {"field": field, "duplicate": value}
        seen.add(key)
        return None

    return asked


def _regex(rule: Rule) -> Asked:
    field = _one_field(rule)
    if not rule.pattern:
        raise InvalidInput("control_rule_lacks", rule=rule.named, lacks="pattern")
    check = check_of("matches", rule.pattern)

    def asked(record: JsonValue) -> Details | None:
        left = value_in(record, field)
        if not is_blank(left) and check(left):
            return None
        return {"field": field, "left": left, "pattern": rule.pattern}

    return asked


def _limited(rule: Rule, limits: Mapping[str, JsonValue]) -> Asked:
    """What can't be compared does not pass: an amount that nobody can read is none."""
    field = _one_field(rule)
    if not limits or any(is_blank(value) for value in limits.values()):
        lacks = "value" if rule.type == "threshold" else "min / max"
        raise InvalidInput("control_rule_lacks", rule=rule.named, lacks=lacks)
    checks: list[tuple[str, JsonValue, Check]] = [
        (op, value, check_of(operator_of(op), value)) for op, value in limits.items()
    ]

    def asked(record: JsonValue) -> Details | None:
        left = value_in(record, field)
        for op, value, check in checks:
            passes = None if is_blank(left) else check(left)
            if not passes:
                told: Details = {"field": field, "left": left, "op": op, "value": value}
                return told if passes is False else {**told, "reason": "unreadable"}
        return None

    return asked


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


# ---- samples -------------------------------------------------------------------------------------


class Sampling(Block[Given]):
    @override
    def run(self, given: Given, context: BlockContext) -> Mapping[str, Any]:
        population: list[JsonValue] = given.population or []
        chosen = sorted(_chosen(given, population))
        taken = set(chosen)
        counts = {"population": len(population), "selected": len(chosen), "method": given.method}
        return {
            "samples": [population[place] for place in chosen],
            "excluded": [one for place, one in enumerate(population) if place not in taken],
            "summary": {**counts, "seed": given.seed},
        }


def _chosen(given: Given, population: Sequence[JsonValue]) -> Sequence[int]:
    if given.method == "attribute":
        return _fitting(given, population)
    if given.size is None:
        raise InvalidInput("control_sample_size", method=given.method)
    size, seed = min(given.size, len(population)), given.seed
    picked = random.Random(seed)  # noqa: S311 - the same sample again, not a secret
    match given.method:
        case "systematic":
            return _at_intervals(len(population), size, picked)
        case "risk_weighted":
            return _by_risk(given.risk_weights or {}, population, size, picked)
        case _:
            return picked.sample(range(len(population)), size)


def _fitting(given: Given, population: Sequence[JsonValue]) -> Sequence[int]:
    if not given.attribute_rules:
        raise InvalidInput("control_sample_rules")
    conditions = read_conditions(given.attribute_rules, "attribute_rules")
    asked = Question(conditions, rows=population, port="attribute_rules")
    fitting = [place for place, one in enumerate(population) if asked.holds(one, place)]
    return fitting if given.size is None else fitting[: given.size]


def _at_intervals(count: int, size: int, picked: random.Random) -> Sequence[int]:
    """Every k-th, from a place within the first interval on."""
    if not size:
        return ()
    start = picked.random() * count / size
    return [int(start + number * count / size) for number in range(size)]


def _by_risk(
    weights: Mapping[str, JsonValue],
    population: Sequence[JsonValue],
    size: int,
    picked: random.Random,
) -> Sequence[int]:
    """Without putting back: the chance of each is as its weight to those that are left."""
    drawn: list[tuple[float, int]] = []
    for place, one in enumerate(population):
        name = str(reference_of(one, place))
        weight = as_number(weights.get(name, 1))
        if weight is None or weight < 0:
            raise InvalidInput("control_weight", name=name, given=str(weights.get(name))[:40])
        chance = picked.random()
        if weight > 0:
            drawn.append((chance ** (1 / float(weight)), place))
    return [place for _, place in sorted(drawn, reverse=True)[:size]]
