"""Texts that may take a pattern long: a part that can be read in two ways, again and again."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from tests.patterns.automaton import Automaton, Edge

_MOST_STEPS = 8000
"""For one loop, or for one pair of loops: what is not found by then has a long way to it."""
_MOST_PAIRS = 600
_MOST_PUMPS = 40
_MOST_OF_ONE_KIND = 4


class Recipe(NamedTuple):
    prefix: str
    pump: str
    suffix: str

    def text(self, length: int) -> str:
        return f"{self.prefix}{self.pump * (length // len(self.pump))}{self.suffix}"

    def __str__(self) -> str:
        return f"{self.prefix!r} + {self.pump!r} × n + {self.suffix!r}"


class _State(NamedTuple):
    nodes: tuple[int, ...]
    mask: int
    """The characters that all of them can read."""


class _Way(NamedTuple):
    before: "_Way | None"
    state: _State
    left: int
    """The characters with which the state before this one can be left."""


@dataclass
class _Allowance:
    steps: int


def recipes(automaton: Automaton) -> list[Recipe]:
    pumps = dict.fromkeys(islice(_ambiguous(automaton), _MOST_PUMPS))
    suffixes = _suffixes(automaton) if pumps else []
    return [Recipe(*pump, suffix) for pump in pumps for suffix in suffixes]


def _suffixes(automaton: Automaton) -> list[str]:
    masks = set(automaton.masks.values())

    def readers(letter: int) -> int:
        return sum(mask >> letter & 1 for mask in masks)

    rare = automaton.alphabet[min(range(len(automaton.alphabet)), key=readers)]
    return list(dict.fromkeys(["", rare, "\n\ue000", "\ue000"]))


def _ambiguous(automaton: Automaton) -> Iterator[tuple[str, str]]:
    begun = _Way(None, _State((automaton.start,), automaton.text_start), 0)
    every = frozenset(automaton.masks)
    reached = {
        way.state.nodes[0]: way
        for way in _walk(automaton, begun, (every,), _Allowance(50 * _MOST_STEPS))
    }
    loops, sources = _loops(automaton, list(reached))

    def pumped(node: int, way: _Way) -> Iterator[tuple[str, str]]:
        words = _words(automaton, way)
        if node == automaton.searching:
            yield from (("", word) for word in words)
            return
        prefix = _words(automaton, reached[node])[0]
        yield from ((prefix, word) for word in words)
        # What only this loop reads keeps one before it from taking the rest.
        own = automaton.masks[node] & ~way.state.mask
        if own:
            yield prefix + automaton.character(own), words[0]

    for loop in loops:
        ways = _in_two_ways(automaton, loop)
        yield from islice((found for one in ways for found in pumped(*one)), _MOST_OF_ONE_KIND)
    for second in loops:
        towards = _closed(second, sources)
        for first in loops:
            if first is second or not first <= towards:
                continue
            pairs = [
                (p, q) for p in first for q in second if automaton.masks[p] & automaton.masks[q]
            ]
            allowance = _Allowance(_MOST_STEPS)
            found = (
                pump
                for p, q in pairs[:_MOST_PAIRS]
                for way in _handed_over(automaton, p, q, (first, towards, second), allowance)
                for pump in pumped(p, way)
            )
            yield from islice(found, _MOST_OF_ONE_KIND)


def _in_two_ways(automaton: Automaton, loop: frozenset[int]) -> Iterator[tuple[int, _Way]]:
    """From a node and back to it in two ways: each round doubles them."""
    allowance = _Allowance(_MOST_STEPS)
    for node in sorted(loop):
        inside = [edge for edge in automaton.steps(node) if edge.target in loop]
        for one, two in _pairs(inside):
            both = one.around.also(two.around)
            here = _State((node, node), automaton.masks[node])
            left = here.mask & both.before
            mask = automaton.masks[one.target] & automaton.masks[two.target] & both.after
            if not left or not mask:
                continue
            begun = _Way(_Way(None, here, 0), _State((one.target, two.target), mask), left)
            for way in _walk(automaton, begun, (loop, loop), allowance):
                if way.state.nodes == (node, node):
                    yield node, way
                    break


def _pairs(edges: list[Edge]) -> Iterator[tuple[Edge, Edge]]:
    return ((one, two) for at, one in enumerate(edges) for two in edges[at + 1 :])


def _handed_over(
    automaton: Automaton,
    p: int,
    q: int,
    inside: tuple[frozenset[int], ...],
    allowance: _Allowance,
) -> Iterator[_Way]:
    """From one loop into another by a text that both can also go round with."""
    state = _State((p, p, q), automaton.masks[p] & automaton.masks[q])
    found = 0
    for way in _walk(automaton, _Way(None, state, 0), inside, allowance):
        if way.before is not None and way.state.nodes == (p, q, q):
            yield way
            found += 1
            if found == 2:
                return


def _walk(
    automaton: Automaton,
    begun: _Way,
    inside: tuple[frozenset[int], ...],
    allowance: _Allowance,
) -> Iterator[_Way]:
    """All states that are reached with each of the nodes in its own set, the nearest first."""
    waiting, known = deque([begun]), {begun.state}
    while waiting and allowance.steps > 0:
        way = waiting.popleft()
        yield way
        steps = [(way.state.mask, automaton.characters, ())]
        for node, allowed in zip(way.state.nodes, inside, strict=True):
            edges = [edge for edge in automaton.steps(node) if edge.target in allowed]
            steps = [
                (before, mask, (*nodes, edge.target))
                for left, readable, nodes in steps
                for edge in edges
                if (before := left & edge.around.before)
                and (mask := readable & automaton.masks[edge.target] & edge.around.after)
            ]
        allowance.steps -= 1 + len(steps)
        for left, mask, nodes in steps:
            state = _State(nodes, mask)
            if state not in known:
                known.add(state)
                waiting.append(_Way(way, state, left))


def _words(automaton: Automaton, way: _Way) -> list[str]:
    """What is read along it: with the most usual character each time, and with the least."""
    lefts: list[int] = []
    while way.before is not None:
        lefts.append(way.left)
        way = way.before
    lefts.reverse()
    usual = "".join(automaton.character(mask) for mask in lefts)
    other = "".join(automaton.character(1 << (mask.bit_length() - 1)) for mask in lefts)
    return list(dict.fromkeys([usual, other]))


def _closed(nodes: frozenset[int], sources: dict[int, set[int]]) -> frozenset[int]:
    """These nodes and all from which one of them can be reached."""
    known, waiting = set(nodes), list(nodes)
    while waiting:
        for source in sources[waiting.pop()] - known:
            known.add(source)
            waiting.append(source)
    return frozenset(known)


def _loops(
    automaton: Automaton, nodes: list[int]
) -> tuple[list[frozenset[int]], dict[int, set[int]]]:
    """The sets of nodes from each of which every other one, and itself, can be reached.

    With them the nodes before each node.
    """
    order: list[int] = []
    seen: set[int] = set()
    for root in nodes:
        stack = [(root, iter(automaton.steps(root)))] if root not in seen else []
        seen.add(root)
        while stack:
            node, edges = stack[-1]
            target = next((edge.target for edge in edges if edge.target not in seen), None)
            if target is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(target)
                stack.append((target, iter(automaton.steps(target))))
    sources: dict[int, set[int]] = {node: set() for node in order}
    for node in order:
        for edge in automaton.steps(node):
            sources[edge.target].add(node)
    loops: list[frozenset[int]] = []
    placed: set[int] = set()
    for root in reversed(order):
        if root in placed:
            continue
        members, waiting = {root}, [root]
        placed.add(root)
        while waiting:
            for source in sources[waiting.pop()] - placed:
                placed.add(source)
                members.add(source)
                waiting.append(source)
        if len(members) > 1 or root in sources[root]:
            loops.append(frozenset(members))
    return loops, sources
