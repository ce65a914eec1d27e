"""The part of OData's filters that the service knows and Sanbo might use, read strictly."""

import re
from collections.abc import Callable, Mapping
from typing import Any

Row = Mapping[str, Any]
Condition = Callable[[Row], bool]

_TOKEN = re.compile(
    r"""
    \s*(?:
        (?P<string>'(?:[^']|'')*')
      | (?P<number>-?\d+(?:\.\d+)?)
      | (?P<word>[A-Za-z_][A-Za-z0-9_.]*)
      | (?P<sign>[()/,:])
    )""",
    re.VERBOSE,
)
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
    "gt": lambda left, right: left is not None and left > right,
    "ge": lambda left, right: left is not None and left >= right,
    "lt": lambda left, right: left is not None and left < right,
    "le": lambda left, right: left is not None and left <= right,
}


class BadFilter(Exception):
    """What the service answers with status 400."""


class Parser:
    """`condition()` reads the whole filter, or raises `BadFilter`."""

    def __init__(self, text: str, fields: Mapping[str, Mapping[str, Any]]) -> None:
        self._fields = fields
        self._variables: list[str] = []
        self._tokens = list(_tokens(text))
        self._place = 0

    def condition(self) -> Condition:
        found = self._either()
        if self._place != len(self._tokens):
            raise BadFilter(f"Syntax error at {self._tokens[self._place][1]!r}")
        return found

    def _either(self) -> Condition:
        parts = [self._both()]
        while self._take("word", "or"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else lambda row: any(part(row) for part in parts)

    def _both(self) -> Condition:
        parts = [self._single()]
        while self._take("word", "and"):
            parts.append(self._single())
        return parts[0] if len(parts) == 1 else lambda row: all(part(row) for part in parts)

    def _single(self) -> Condition:
        if self._take("word", "not"):
            inner = self._single()
            return lambda row: not inner(row)
        if self._take("sign", "("):
            inner = self._either()
            self._expect("sign", ")")
            return inner
        if self._take("word", "search.in"):
            return self._is_in()
        name = self._expect("word")
        if self._take("sign", "/"):
            return self._any(name)
        return self._comparison(name)

    def _is_in(self) -> Condition:
        self._expect("sign", "(")
        name = self._variable(self._expect("word"))
        self._expect("sign", ",")
        values = _text(self._expect("string"))
        delimiters = " ,"
        if self._take("sign", ","):
            delimiters = _text(self._expect("string"))
        self._expect("sign", ")")
        wanted = set(re.split("[" + re.escape(delimiters) + "]", values))
        return lambda row: row.get(name) in wanted

    def _any(self, name: str) -> Condition:
        if not self._filterable(name)["type"].startswith("Collection("):
            raise BadFilter(f"'{name}' is not a collection")
        self._expect("word", "any")
        self._expect("sign", "(")
        variable = self._expect("word")
        self._expect("sign", ":")
        self._variables.append(variable)
        inner = self._either()
        self._variables.pop()
        self._expect("sign", ")")

        def holds(row: Row) -> bool:
            values: list[Any] = row.get(name) or []
            return any(inner({**row, variable: value}) for value in values)

        return holds

    def _comparison(self, name: str) -> Condition:
        name = self._variable(name)
        compare = _COMPARISONS.get(self._expect("word"))
        if compare is None:
            raise BadFilter("an operator was expected")
        kind, token = self._next()
        if kind == "string":
            value: object = _text(token)
        elif kind == "number":
            value = float(token)
        elif token in ("null", "true", "false"):
            value = {"null": None, "true": True, "false": False}[token]
        else:
            raise BadFilter(f"a constant was expected, not {token!r}")
        return lambda row: compare(row.get(name), value)

    def _variable(self, name: str) -> str:
        if name in self._variables:
            return name
        if self._filterable(name)["type"].startswith("Collection("):
            raise BadFilter(f"'{name}' is a collection")
        return name

    def _filterable(self, name: str) -> Mapping[str, Any]:
        field = self._fields.get(name)
        if field is None:
            raise BadFilter(f"Could not find a property named '{name}'")
        if not field.get("filterable"):
            raise BadFilter(f"'{name}' is not a filterable field")
        return field

    def _next(self) -> tuple[str, str]:
        if self._place == len(self._tokens):
            raise BadFilter("the expression ends early")
        self._place += 1
        return self._tokens[self._place - 1]

    def _take(self, kind: str, text: str) -> bool:
        if self._tokens[self._place : self._place + 1] != [(kind, text)]:
            return False
        self._place += 1
        return True

    def _expect(self, kind: str, text: str | None = None) -> str:
        found, token = self._next()
        if found != kind or text not in (None, token):
            raise BadFilter(f"Syntax error at {token!r}")
        return token


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    place = 0
    text = text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            raise BadFilter(f"Syntax error at position {place}")
        found.append((match.lastgroup, match[match.lastgroup]))
        place = match.end()
    return found


def _text(literal: str) -> str:
    return literal[1:-1].replace("''", "'")
