"""A regular expression as the automaton that a backtracking matcher walks.

Each way through it is a way the matcher may try, so a text that is read in many ways is a text that
takes long. One character of surroundings (`(?<!x)`, `(?=x)`, `\\b`, `^`, a possessive repeat) is
kept exactly on the edges; longer ones are left out, which finds too many texts and never too few.
"""

import importlib
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

_parser: Any = importlib.import_module("re._parser")
_compiler: Any = importlib.import_module("re._compiler")
_op: Any = importlib.import_module("re._constants")

# One of each kind of character that patterns tell apart, beside those that they name.
_USUAL = "aZ1_ \n\r\t\u3000あア亜ー０５、。.,-/:()（）<>\"'|#éﾊ\u2028\x00"
_UNROLLED = 100
_UNROLLED_GROUPS = 4
"""Repeats of a character, and of more, up to so many times are no loops."""
_MOST_EDGES = 1500


class Around(NamedTuple):
    """Which characters may stand before and after a place: bits of the alphabet."""

    before: int
    after: int

    def also(self, other: "Around") -> "Around":
        return Around(self.before & other.before, self.after & other.after)


class Edge(NamedTuple):
    target: int
    around: Around


@dataclass
class Automaton:
    alphabet: str
    masks: dict[int, int] = field(default_factory=dict[int, int])
    """The nodes that read a character, with the characters that they read."""
    exits: dict[int, list[Edge]] = field(default_factory=dict[int, list[Edge]])
    """Where one can go from a node without reading."""
    start: int = 0
    searching: int | None = None
    """The node that passes over what stands before a match."""
    _steps: dict[int, list[Edge]] = field(default_factory=dict[int, list[Edge]])

    @property
    def characters(self) -> int:
        return (1 << len(self.alphabet)) - 1

    @property
    def text_start(self) -> int:
        return 1 << len(self.alphabet)

    @property
    def text_end(self) -> int:
        return 2 << len(self.alphabet)

    @property
    def anything(self) -> int:
        return self.characters | self.text_start | self.text_end

    def node(self, mask: int | None = None) -> int:
        number = len(self.exits)
        self.exits[number] = []
        if mask is not None:
            self.masks[number] = mask
        return number

    def link(self, source: int, target: int, around: Around | None = None) -> None:
        self.exits[source].append(Edge(target, around or Around(self.anything, self.anything)))

    def steps(self, node: int) -> list[Edge]:
        """The nodes that may read next, each as often as there are ways to it."""
        if node not in self._steps:
            found: list[Edge] = []
            free = Around(self.anything, self.anything)
            waiting = [(node, free, frozenset[int]())]
            while waiting and len(found) < _MOST_EDGES:
                at, around, passed = waiting.pop()
                for edge in self.exits[at]:
                    both = around.also(edge.around)
                    if edge.target in passed or not both.before or not both.after:
                        continue
                    if edge.target in self.masks:
                        found.append(Edge(edge.target, both))
                    else:
                        waiting.append((edge.target, both, passed | {edge.target}))
            self._steps[node] = found
        return self._steps[node]

    def character(self, mask: int) -> str:
        """The most usual one of them; nothing is read at the start of the text."""
        at = (mask & -mask).bit_length() - 1
        return self.alphabet[at : at + 1]


def automaton_of(pattern: re.Pattern[Any], *, searching: bool) -> Automaton:
    tree = _tree(pattern)
    alphabet: dict[str, None] = {letter: None for letter in _USUAL}
    _letters(tree, alphabet)
    builder = _Builder(Automaton("".join(alphabet)), tree.state)
    return builder.built(tree, tree.state.flags, searching=searching)


def has_loops(pattern: re.Pattern[Any]) -> bool:
    """Without any, each place of a text is looked at for no longer than the pattern is."""
    return _repeats(_tree(pattern))


def _repeats(tree: Any) -> bool:
    return any(
        op is _op.GROUPREF
        or (op in _REPEATS and _is_loop(value))
        or any(_repeats(part) for part in _parts(op, value))
        for op, value in tree
    )


def _is_loop(repeat: Any) -> bool:
    _, high, body = repeat
    most = _UNROLLED if _only_leaf(body) else _UNROLLED_GROUPS
    return high == _op.MAXREPEAT or high > most


def _tree(pattern: re.Pattern[Any]) -> Any:
    text, flags = pattern.pattern, pattern.flags & ~int(re.DEBUG)
    if isinstance(text, bytes):
        text, flags = text.decode("latin-1"), (flags & ~re.LOCALE) | re.ASCII
    return _parser.parse(text, flags)


def _letters(tree: Any, alphabet: dict[str, None]) -> None:
    for op, value in tree:
        if op in {_op.LITERAL, _op.NOT_LITERAL}:
            _add(alphabet, value)
        elif op is _op.RANGE:
            for code in (value[0], (value[0] + value[1]) // 2, value[1]):
                _add(alphabet, code)
        elif op is _op.IN:
            _letters(value, alphabet)
        else:
            for part in _parts(op, value):
                _letters(part, alphabet)


def _add(alphabet: dict[str, None], code: int) -> None:
    for letter in (chr(code), chr(code).lower(), chr(code).upper()):
        if len(letter) == 1:
            alphabet[letter] = None


def _parts(op: Any, value: Any) -> list[Any]:
    """What stands inside a part of the syntax tree."""
    if op is _op.GROUPREF_EXISTS:
        return [part for part in value[1:] if part is not None]
    place = _PLACE_OF_PARTS.get(op)
    if place is None:
        return [value] if op is _op.ATOMIC_GROUP else []
    return list(value[place]) if op is _op.BRANCH else [value[place]]


_REPEATS = {_op.MAX_REPEAT, _op.MIN_REPEAT, _op.POSSESSIVE_REPEAT}
_LOOKS = {_op.ASSERT, _op.ASSERT_NOT}
_PLACE_OF_PARTS = {
    _op.BRANCH: 1,
    _op.SUBPATTERN: 3,
    **dict.fromkeys(_REPEATS, 2),
    **dict.fromkeys(_LOOKS, 1),
}
_LEAVES = {_op.LITERAL, _op.NOT_LITERAL, _op.ANY, _op.IN}


class _Builder:
    def __init__(self, automaton: Automaton, state: Any) -> None:
        self._made = automaton
        self._state = state
        self._known: dict[str, int] = {}

    def built(self, tree: Any, flags: int, *, searching: bool) -> Automaton:
        made = self._made
        start = made.start = made.node(made.text_start)
        end = self._sequence(tree, start, flags)
        if searching:
            over = made.searching = made.node(made.characters)
            made.link(start, over)
            made.link(over, over)
            for edge in made.exits[start]:
                if edge.target != over:
                    made.link(over, edge.target, edge.around)
        made.link(end, made.node())
        return made

    def _sequence(self, tree: Any, at: int, flags: int) -> int:
        for op, value in tree:
            at = self._part(op, value, at, flags)
        return at

    def _part(self, op: Any, value: Any, at: int, flags: int) -> int:
        made = self._made
        if op in _LEAVES:
            leaf = made.node(self._mask(op, value, flags))
            made.link(at, leaf)
            return leaf
        if op is _op.SUBPATTERN:
            return self._sequence(value[3], at, (flags | value[1]) & ~value[2])
        if op is _op.ATOMIC_GROUP:
            inner = list(value)
            if len(inner) == 1 and inner[0][0] is _op.MAX_REPEAT:
                return self._repeat(_op.POSSESSIVE_REPEAT, inner[0][1], at, flags)
            return self._sequence(value, at, flags)
        if op in _REPEATS:
            return self._repeat(op, value, at, flags)
        end = made.node()
        self._between(op, value, (at, end), flags)
        return end

    def _between(self, op: Any, value: Any, ends: tuple[int, int], flags: int) -> None:
        made, (at, end) = self._made, ends
        if op is _op.BRANCH or op is _op.GROUPREF_EXISTS:
            for part in _parts(op, value):
                begin = made.node()
                made.link(at, begin)
                made.link(self._sequence(part, begin, flags), end)
            if op is _op.GROUPREF_EXISTS and value[2] is None:
                made.link(at, end)
        elif op in _LOOKS:
            if value[0] > 0:  # it is read too, and leads nowhere
                begin = made.node()
                made.link(at, begin)
                self._sequence(value[1], begin, flags)
            made.link(at, end, self._surroundings(op, value, flags))
        elif op is _op.AT:
            for around in self._places(value, flags):
                made.link(at, end, around)
        elif op is _op.GROUPREF:  # whatever the group has read
            made.link(at, end)
            reading = made.node(made.characters)
            made.link(at, reading)
            made.link(reading, end)

    def _repeat(self, op: Any, value: Any, at: int, flags: int) -> int:
        low, high, body = value
        made = self._made
        end = made.node()
        leaf = _only_leaf(body)
        free = Around(made.anything, made.anything)
        leaving = free
        if op is _op.POSSESSIVE_REPEAT and leaf and high == _op.MAXREPEAT:
            leaving = Around(free.before, free.after & ~self._mask(*leaf, flags))
        if not _is_loop(value):
            for count in range(high):
                if count >= low:
                    made.link(at, end)
                begin = made.node()
                made.link(at, begin)
                at = self._sequence(body, begin, flags)
            made.link(at, end)
            return end
        begin = made.node()
        made.link(at, begin)
        if low == 0:
            made.link(at, end, leaving)
        again = made.node()
        made.link(self._sequence(body, begin, flags), again)
        made.link(again, begin)
        made.link(again, end, leaving)
        return end

    def _mask(self, op: Any, value: Any, flags: int) -> int:
        key = f"{op}{value}{flags}"
        if key not in self._known:
            leaf = _parser.SubPattern(self._state, [(op, value)])
            compiled = _compiler.compile(leaf, flags)
            read = compiled.finditer(self._made.alphabet)
            self._known[key] = sum(1 << found.start() for found in read)
        return self._known[key]

    def _surroundings(self, op: Any, value: Any, flags: int) -> Around:
        """What a look ahead or behind says of the one character beside it."""
        direction, body = value
        every = self._made.anything
        mask = 0
        for alternative in _alternatives(body):
            leaf = _only_leaf(alternative)
            if leaf:
                mask |= self._mask(*leaf, flags)
            elif op is _op.ASSERT:
                mask = every
        allowed = mask if op is _op.ASSERT else every & ~mask
        return Around(every, allowed) if direction > 0 else Around(allowed, every)

    def _places(self, value: Any, flags: int) -> list[Around]:
        """Where `^`, `$` and `\\b` hold."""
        made = self._made
        every = made.anything
        line = 1 << made.alphabet.index("\n")
        if value in {_op.AT_BEGINNING, _op.AT_BEGINNING_STRING}:
            lines = line if value is _op.AT_BEGINNING and flags & re.MULTILINE else 0
            return [Around(made.text_start | lines, every)]
        if value in {_op.AT_END, _op.AT_END_STRING}:
            return [Around(every, made.text_end | (line if value is _op.AT_END else 0))]
        letters = self._mask(_op.IN, [(_op.CATEGORY, _op.CATEGORY_WORD)], flags)
        others = every & ~letters
        if value is _op.AT_BOUNDARY:
            return [Around(letters, others), Around(others, letters)]
        return [Around(letters, letters), Around(others, others)]


def _only_leaf(tree: Any) -> tuple[Any, Any] | None:
    items = list(tree)
    if len(items) != 1:
        return None
    op, value = items[0]
    if op is _op.SUBPATTERN and not value[1] and not value[2]:
        return _only_leaf(value[3])
    return (op, value) if op in _LEAVES else None


def _alternatives(tree: Any) -> list[Any]:
    items = list(tree)
    if len(items) == 1 and items[0][0] is _op.BRANCH:
        return list(items[0][1][1])
    if len(items) == 1 and items[0][0] is _op.SUBPATTERN:
        return _alternatives(items[0][1][3])
    return [tree]
