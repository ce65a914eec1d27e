"""`control.sampling`: which records of a population are looked at, and again the same next time."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import Block, BlockContext, Given
from sanbo.blocks.control.record_rules import reference_of
from sanbo.blocks.transforms.filter import Question, read_conditions
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.values import as_number


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
