"""The syntax of expressions: CEL's, with Python's words beside its signs.

`a.total * 1.1`, `x > 3 && !(y in [1, 2])`, `n == 0 ? "–" : text(n)`, `rows.filter(r, r.n > 0)`.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal as OneOf

from sanbo.kernel.nearest import alternatives
from sanbo.tables.expressions.operations import FUNCTIONS

MOST_CHARACTERS = 2000
MOST_DEPTH = 50

Key = str | int
Constant = None | bool | int | Decimal | str
Operator = OneOf["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "in", "&&", "||"]
MacroName = OneOf["map", "filter", "all", "exists", "exists_one"]
MACROS: tuple[MacroName, ...] = ("map", "filter", "all", "exists", "exists_one")


class ExpressionRefused(ValueError):
    """`code` names the finding: `expression_invalid`, `expression_loops`, `unknown_function` …"""

    def __init__(self, code: str, reason: str = "", column: int = 0, **params: str) -> None:
        self.code = code
        self.reason = reason
        self.column = column
        """In the expression as it is written, from 1; 0 where it can't be told."""
        self.params = {"reason": reason, **params}
        super().__init__(f"{code}: {reason}")


@dataclass(frozen=True)
class Literal:
    value: Constant


@dataclass(frozen=True)
class Given:
    """A value from outside: a name and constant keys, or `${…}` as it is written."""

    root: str
    keys: tuple[Key, ...]
    text: str
    column: int


@dataclass(frozen=True)
class Template:
    """A quoted text that holds `${…}`: values in it are written out."""

    text: str


@dataclass(frozen=True)
class Bound:
    """Each item, by the name that a macro gives it."""

    name: str


@dataclass(frozen=True)
class Member:
    of: "Tree"
    key: "Tree"


@dataclass(frozen=True)
class Call:
    name: str
    arguments: "tuple[Tree, ...]"


@dataclass(frozen=True)
class Macro:
    kind: MacroName
    over: "Tree"
    name: str
    body: "Tree"


@dataclass(frozen=True)
class Operation:
    operator: Operator
    left: "Tree"
    right: "Tree"


@dataclass(frozen=True)
class Not:
    of: "Tree"


@dataclass(frozen=True)
class Negative:
    of: "Tree"


@dataclass(frozen=True)
class Choice:
    asked: "Tree"
    yes: "Tree"
    no: "Tree"


@dataclass(frozen=True)
class Items:
    items: "tuple[Tree, ...]"


@dataclass(frozen=True)
class Fields:
    fields: "tuple[tuple[Tree, Tree], ...]"


Tree = (
    Literal
    | Given
    | Template
    | Bound
    | Member
    | Call
    | Macro
    | Operation
    | Not
    | Negative
    | Choice
    | Items
    | Fields
)


def parts_of(tree: Tree) -> Iterator[Tree]:
    """The tree itself and all below it."""
    yield tree
    for below in _below(tree):
        yield from parts_of(below)


def _below(tree: Tree) -> tuple[Tree, ...]:  # noqa: PLR0911 - one for each kind
    match tree:
        case Member(of, key):
            return (of, key)
        case Call(_, arguments):
            return arguments
        case Macro(_, over, _, body):
            return (over, body)
        case Operation(_, left, right):
            return (left, right)
        case Not(of) | Negative(of):
            return (of,)
        case Choice(asked, yes, no):
            return (asked, yes, no)
        case Items(items):
            return items
        case Fields(fields):
            return tuple(part for pair in fields for part in pair)
        case _:
            return ()


COMPUTED = "${="
# A text that is not closed goes to the end: it is looked through once.
_QUOTED = re.compile(r"""(?s:"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z))""")


def closing(text: str, start: int) -> int:
    """Where the `${` that begins here ends; -1 where it does not."""
    depth, position = 0, start
    while position < len(text):
        if found := _QUOTED.match(text, position):
            position = found.end()
            continue
        depth += (text[position] == "{") - (text[position] == "}")
        if text[position] == "}" and depth == 0:
            return position
        position += 1
    return -1


# ---- tokens --------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""(?P<space>\s++|//[^\n]*+)
      | (?P<reference>\$\{[^{}]*+\})
      | (?P<number>(?:\d++(?:\.\d++)?+|\.\d++)(?:[eE][-+]?+\d{1,3}+)?+)
      | (?P<text>"(?:[^"\\]|\\.)*+(?:"|(?P<open>\\?\Z))|'(?:[^'\\]|\\.)*+(?:'|(?P<open2>\\?\Z)))
      | (?P<name>[^\W\d]\w*+)
      | (?P<sign>&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()\[\]{}])""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"and": "&&", "or": "||", "not": "!"}
_CONSTANTS: dict[str, Constant] = {
    **{"true": True, "false": False, "null": None},
    **{"True": True, "False": False, "None": None},
}
_PRECEDENCE: tuple[tuple[Operator, ...], ...] = (
    ("||",),
    ("&&",),
    ("==", "!=", "<", "<=", ">", ">=", "in"),
    ("+", "-"),
    ("*", "/", "%"),
)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    column: int


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    position = 0
    while position < len(text):
        if text.startswith(COMPUTED, position):
            end = closing(text, position)
            if end < 0:
                raise ExpressionRefused("expression_invalid", COMPUTED, position + 1)
            found.append(_Token("reference", text[position : end + 1], position + 1))
            position = end + 1
            continue
        token = _TOKEN.match(text, position)
        if token is None or token["open"] is not None or token["open2"] is not None:
            raise ExpressionRefused("expression_invalid", text[position], position + 1)
        kind = token.lastgroup or ""
        if kind != "space":
            word = _WORDS.get(token[0], token[0])
            found.append(_Token("sign" if word != token[0] else kind, word, position + 1))
        position = token.end()
    return [*found, _Token("end", "", len(text) + 1)]


# ---- parser --------------------------------------------------------------------------------


def parse(text: str) -> Tree:
    """`ExpressionRefused` for what is no expression."""
    if not text.strip():
        raise ExpressionRefused("expression_invalid", "–", 1)
    if len(text) > MOST_CHARACTERS:
        raise ExpressionRefused("expression_too_long", str(MOST_CHARACTERS))
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._text = text
        self._at = 0
        self._depth = 0
        self._bound: list[str] = []

    def whole(self) -> Tree:
        tree = self._choice()
        if self._next.kind != "end":
            raise self._unexpected()
        return tree

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._next
        self._at += token.kind != "end"
        return token

    def _is(self, sign: str) -> bool:
        return self._next.text == sign and self._next.kind in ("sign", "name")

    def _passes(self, sign: str) -> bool:
        found = self._is(sign)
        self._at += found
        return found

    def _expect(self, sign: str) -> None:
        if not self._passes(sign):
            raise self._unexpected()

    def _unexpected(self) -> ExpressionRefused:
        token = self._next
        return ExpressionRefused("expression_invalid", token.text or "–", token.column)

    def _choice(self) -> Tree:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise ExpressionRefused("expression_too_long", str(MOST_DEPTH))
        tree = self._operation(0)
        if self._passes("?"):
            yes = self._choice()
            self._expect(":")
            tree = Choice(tree, yes, self._choice())
        self._depth -= 1
        return tree

    def _operation(self, level: int) -> Tree:
        if level == len(_PRECEDENCE):
            return self._unary()
        left = self._operation(level + 1)
        while (found := self._operator(level)) is not None:
            operator, is_negated = found
            tree = Operation(operator, left, self._operation(level + 1))
            left = Not(tree) if is_negated else tree
        return left

    def _operator(self, level: int) -> tuple[Operator, bool] | None:
        for operator in _PRECEDENCE[level]:
            if self._passes(operator):
                return operator, False
        is_relation = "in" in _PRECEDENCE[level]
        if is_relation and self._is("!") and self._tokens[self._at + 1].text == "in":
            self._at += 2
            return "in", True
        if is_relation and self._passes("is"):
            return "==", self._passes("!")
        return None

    def _unary(self) -> Tree:
        if self._is("!") or self._is("-"):
            self._depth += 1
            if self._depth > MOST_DEPTH:
                raise ExpressionRefused("expression_too_long", str(MOST_DEPTH))
            token = self._take()
            # `not a == b` is Python's: the word binds less than a comparison, the sign more.
            is_word = token.text == "!" and self._text.startswith("not", token.column - 1)
            of = self._operation(2) if is_word else self._unary()
            self._depth -= 1
            return Not(of) if token.text == "!" else Negative(of)
        return self._member(self._primary())

    def _primary(self) -> Tree:  # noqa: PLR0911 - one for each kind
        token = self._take()
        match token.kind:
            case "number":
                return _number(token)
            case "text":
                return _quoted(token, self._text)
            case "reference":
                return Given("", (), token.text, token.column)
            case "name":
                return self._named(token)
            case "sign" if token.text == "(":
                inside = self._choice()
                if self._passes(","):  # a list as Python writes it
                    return Items((inside, *self._listed(")")))
                self._expect(")")
                return inside
            case "sign" if token.text == "[":
                return Items(self._listed("]"))
            case "sign" if token.text == "{":
                return Fields(self._fields())
            case _:
                self._at -= token.kind != "end"
                raise self._unexpected()

    def _listed(self, closing: str) -> tuple[Tree, ...]:
        found: list[Tree] = []
        while not self._passes(closing):
            found.append(self._choice())
            if not self._is(closing):
                self._expect(",")
        return tuple(found)

    def _fields(self) -> tuple[tuple[Tree, Tree], ...]:
        found: list[tuple[Tree, Tree]] = []
        while not self._passes("}"):
            key = self._choice()
            self._expect(":")
            found.append((key, self._choice()))
            if not self._is("}"):
                self._expect(",")
        return tuple(found)

    def _named(self, token: _Token) -> Tree:
        if token.text in _CONSTANTS:
            return Literal(_CONSTANTS[token.text])
        if self._passes("("):
            return self._call(token, ())
        if token.text in self._bound:
            return Bound(token.text)
        return Given(token.text, (), token.text, token.column)

    def _member(self, tree: Tree) -> Tree:
        while True:
            if self._passes("."):
                token = self._take()
                if token.kind not in ("name", "number") or (
                    token.kind == "number" and not token.text.isdecimal()
                ):
                    self._at -= token.kind != "end"
                    raise self._unexpected()
                if token.kind == "name" and self._passes("("):
                    tree = self._macro(token, tree) or self._call(token, (tree,))
                else:
                    tree = self._below(tree, Literal(token.text), f".{token.text}")
            elif self._passes("["):
                start = self._next.column
                key = self._choice()
                written = self._text[start - 1 : self._next.column - 1]
                self._expect("]")
                tree = self._below(tree, key, f"[{written.strip()}]")
            else:
                return tree

    def _below(self, tree: Tree, key: Tree, written: str) -> Tree:
        """Constant keys belong to the value from outside: they can be looked up in its plan."""
        at = key.value if isinstance(key, Literal) else None
        if not isinstance(tree, Given) or not tree.root or not isinstance(at, str | int):
            return Member(tree, key)
        return Given(tree.root, (*tree.keys, at), f"{tree.text}{written}", tree.column)

    def _macro(self, token: _Token, over: Tree) -> Tree | None:
        if token.text not in MACROS:
            return None
        kind = token.text
        if self._bound:
            raise ExpressionRefused("expression_loops", column=token.column)
        name = self._take()
        if name.kind != "name":
            raise ExpressionRefused("expression_invalid", name.text or "–", name.column)
        self._expect(",")
        self._bound.append(name.text)
        body = self._choice()
        self._bound.pop()
        self._expect(")")
        return Macro(kind, over, name.text, body)

    def _call(self, token: _Token, before: tuple[Tree, ...]) -> Tree:
        arguments = (*before, *self._listed(")"))
        name = token.text
        if name not in FUNCTIONS:
            near = alternatives(name, FUNCTIONS)
            raise ExpressionRefused(
                "unknown_function", name, token.column, name=name, suggestion=near
            )
        function = FUNCTIONS[name]
        if not function.least <= len(arguments) <= function.most:
            raise ExpressionRefused(
                "wrong_arguments", function.usage, token.column, name=name, usage=function.usage
            )
        return Call(name, arguments)


def _number(token: _Token) -> Literal:
    if token.text.isdecimal() and len(token.text) <= 300:
        return Literal(int(token.text))
    return Literal(Decimal(token.text))


def _quoted(token: _Token, whole: str) -> Tree:
    quote = token.text[0]
    before = whole[token.column - 2 : token.column - 1] if token.column > 1 else ""
    if before in ("r", "R", "b", "B", quote):  # other kinds of text, which end elsewhere
        raise ExpressionRefused("expression_invalid", f"{before}{quote}", token.column)
    inside = token.text[1:-1]
    if "${" in inside:
        return Template(_unescaped(inside, quote, token))
    return Literal(_unescaped(inside, quote, token))


def _unescaped(inside: str, quote: str, token: _Token) -> str:
    if "\\" not in inside:
        return inside
    try:
        return str(ast.literal_eval(f"{quote}{inside}{quote}"))
    except (SyntaxError, ValueError):
        raise ExpressionRefused("expression_invalid", inside[:40], token.column) from None
