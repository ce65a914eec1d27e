"""Options that stand in the plan, tried with the block's own code before there is any data.

The block tells the first thing that is wrong. To tell all, each entry of a list or a mapping is
tried alone, and what was told is taken away before the rest is tried again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from sanbo.blocks.spec import BlockSpec
from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import InvalidInput, Problem
from sanbo.plans.model import BlockNode
from sanbo.plans.references import BadReference, Key, Reference, ValuePath, resolve
from sanbo.plans.validating.outputs import constant
from sanbo.plans.validating.scope import Scope
from sanbo.plans.validating.site import Site
from sanbo.plans.validating.written_values import open_places

_MOST_ENTRIES = 200
_STEP = re.compile(r"[^.\[\]]+")

Given = dict[str, JsonValue]


def check_options(node: BlockNode, spec: BlockSpec, site: Site) -> None:
    """`node`: its inputs fit the types of the block's ports."""
    if (problem := site.scope.surroundings.misplaced(spec, node.in_)) is not None:
        path = _way(dict(node.in_), _steps(problem))
        name = ".".join(_steps(problem))
        reason, hint = problem.message, problem.hint
        site.error("wrong_input", "in", *path, name=name, reason=reason, suggestion=hint)
        return
    given = {
        port: _known(value, site)
        for port, value in node.in_.items()
        if port in spec.inputs and value is not None
    }
    if not all(isinstance(value, str) and "${" in value for value in given.values()):
        _Trial(spec, site, given).run()


def _known(value: JsonValue, site: Site) -> JsonValue:
    """With the values of variables; other references stay as they are written."""
    match value:
        case str() if "$" in value:
            try:
                return resolve(value, lambda reference: _stated(reference, site.scope))
            except (BadReference, LookupError, InvalidInput):
                return value
        case list():
            return [_known(item, site) for item in value]
        case dict():
            return {key: _known(item, site) for key, item in value.items()}
        case _:
            return value


def _stated(reference: Reference, scope: Scope) -> JsonValue:
    """An empty variable is there to be filled in: by who starts the plan, or by who calls it."""
    value = constant(reference, scope)
    if not value:
        raise LookupError(reference.text)
    return value


@dataclass(frozen=True)
class _Fault:
    problem: Problem
    path: ValuePath
    """From the port on, as far as it is known."""


class _Trial:
    def __init__(self, spec: BlockSpec, site: Site, given: Given) -> None:
        self._spec = spec
        self._site = site
        self._given = given
        self._lacks = False
        """Whether something was taken away without which a block may be wrong in other ways."""

    def run(self) -> None:
        told: set[str] = set()
        while (problem := self._refusal(self._given)) is not None:
            port = self._port_of(problem)
            if port is None or port in told:
                return
            told.add(port)
            faults = list(self._of_entries(port, problem)) or [self._fault(problem, (port,))]
            certain = [fault for fault in faults if self._is_certain(fault)]
            for fault in certain:
                self._tell(fault)
            if len(certain) < len(faults):
                return
            self._take_away(port, faults)

    def _refusal(self, given: Given) -> Problem | None:
        return self._site.scope.surroundings.refusal(self._spec, given)

    # ---- where it is -----------------------------------------------------------------------

    def _port_of(self, problem: Problem) -> str | None:
        """The port that a problem names, or without which there is another problem, or none."""
        if self._names_a_port(problem):
            return _steps(problem)[0]
        if self._lacks:
            return None
        required = [port for port in self._given if self._spec.inputs[port].required]
        optional = [port for port in self._given if port not in required]
        for port in (*optional, *required):
            other = self._refusal(self._without(port))
            if other is None or other.text_id != problem.text_id:
                return port
        return None

    def _names_a_port(self, problem: Problem) -> bool:
        return bool(_steps(problem)) and _steps(problem)[0] in self._given

    def _of_entries(self, port: str, whole: Problem) -> Iterator[_Fault]:
        value = self._given[port]
        entries: list[tuple[Key, JsonValue, JsonValue]] = []
        if isinstance(value, list):
            entries = [(index, entry, [entry]) for index, entry in enumerate(value)]
        elif isinstance(value, dict):
            entries = [(key, entry, {key: entry}) for key, entry in value.items()]
        are_alike = all(isinstance(entry, dict) for _, entry, _ in entries)
        if isinstance(value, list) and not are_alike:
            return
        for key, _, alone in entries[:_MOST_ENTRIES]:
            problem = self._refusal({**self._given, port: alone})
            if problem and _steps(problem)[:1] != [port] and self._names_a_port(problem):
                continue  # another's: it comes now that this one passes
            # A mapping may be one option: a part of it alone is wrong in other ways.
            if problem and (are_alike or problem.text_id == whole.text_id):
                yield self._fault(_renumbered(problem, key), (port, key))

    def _fault(self, problem: Problem, path: ValuePath) -> _Fault:
        named = _steps(problem)
        inside = named[len(path) :] if named[:1] == [path[0]] else []
        value = self._given[str(path[0])]
        for step in path[1:]:
            value = _below(value, step)
        return _Fault(problem, (*path, *_way(value, inside)))

    # ---- what is told of it ----------------------------------------------------------------

    def _is_certain(self, fault: _Fault) -> bool:
        return not _is_open(self._given[str(fault.path[0])], fault.path[1:])

    def _tell(self, fault: _Fault) -> None:
        self._site.error(
            "wrong_input",
            "in",
            *fault.path,
            name=".".join(str(step) for step in fault.path),
            reason=fault.problem.message,
            suggestion=fault.problem.hint,
        )

    # ---- what is left ----------------------------------------------------------------------

    def _take_away(self, port: str, faults: list[_Fault]) -> None:
        entries = {fault.path[1] for fault in faults if len(fault.path) > 1}
        value = self._given[port]
        rest: JsonValue = None
        if entries and isinstance(value, list):
            rest = [entry for index, entry in enumerate(value) if index not in entries]
        elif entries and isinstance(value, dict):
            rest = {key: entry for key, entry in value.items() if key not in entries}
        self._given = {**self._given, port: rest} if rest else self._without(port)
        self._lacks = self._lacks or not rest

    def _without(self, port: str) -> Given:
        return {name: value for name, value in self._given.items() if name != port}


def _renumbered(problem: Problem, key: Key) -> Problem:
    """What was tried alone was the first; in the plan it has a number of its own."""
    params = {
        name: re.sub(r"(?<=[\[.])0(?=[\].]|$)", str(key), str(value), count=1)
        for name, value in problem.params.items()
        if name in ("port", "place") and value and isinstance(key, int)
    }
    if not params:
        return problem
    numbered = problem.model_copy(update={"params": {**problem.params, **params}})
    return numbered.in_language(current_language())


def _steps(problem: Problem) -> list[str]:
    """`conditions.0.operator`, or `operations[2]` with the key that is wrong there."""
    place = problem.params.get("port") or problem.params.get("place")
    steps = _STEP.findall(str(place)) if place else []
    key = problem.params.get("key")
    return [*steps, str(key)] if steps and key else steps


def _way(value: JsonValue, steps: list[str]) -> Iterator[Key]:
    """As far as the value has them: a block may count one condition as a list of it."""
    for step in steps:
        key: Key = int(step) if isinstance(value, list) and step.isdecimal() else step
        below = _below(value, key)
        if below is not None:
            value = below
            yield key


def _below(value: JsonValue, step: Key) -> JsonValue:
    if isinstance(value, dict):
        return value.get(str(step))
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def _is_open(value: JsonValue, path: ValuePath) -> bool:
    """Whether something stands there, or in there, that only a run knows."""
    return any(
        path[: len(place)] == place or place[: len(path)] == path for place, _ in open_places(value)
    )
