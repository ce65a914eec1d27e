"""Every regular expression of the product, with the ways in which it is used."""

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple, cast

import regex
import yaml

import sanbo
from tests.patterns.declared import LOCAL_VALUES, WRITTEN_BY_USERS

SOURCE = Path(sanbo.__file__).parent
_YAML: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast
_CALLS = {"compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
_PLACE_OF_FLAGS = {"sub": 4, "subn": 4, "split": 3, "compile": 1}


# A call, `pattern=` and `"pattern":` of a schema, or `NAME.match` of a pattern from elsewhere.
_SPEAKS_OF_PATTERNS = re.compile(
    rf"\b(?:re|regex)\.(?:{'|'.join(_CALLS)})\b|\bpattern[\"']?\s?[=:]|[A-Z]\.(?:{'|'.join(_CALLS)})\b"
    r"|^from (?:re|regex) import",
    re.MULTILINE,
)


class Key(NamedTuple):
    pattern: str | bytes
    flags: int


@dataclass
class Found:
    """One regular expression: where it stands and how it is used."""

    places: set[str] = field(default_factory=set[str])
    uses: set[str] = field(default_factory=set[str])


@dataclass
class Collection:
    found: dict[Key, Found] = field(default_factory=lambda: defaultdict[Key, Found](Found))
    modules: set[str] = field(default_factory=set[str])
    uncovered: list[str] = field(default_factory=list[str])

    def add(self, pattern: object, flags: int, place: str, use: str | None) -> None:
        if isinstance(pattern, re.Pattern | regex.Pattern):
            key = _key(cast("re.Pattern[Any]", pattern))
        else:
            assert isinstance(pattern, str | bytes), f"{place}: {pattern!r} is no pattern"
            key = _key(re.compile(_plain(pattern), flags))
        self.found[key].places.add(place)
        if use is not None:
            self.found[key].uses.add(use)


def collected() -> Collection:
    """All of them: from the calls, from what the modules hold, from schemas in Python and YAML."""
    collection = Collection()
    for path in sorted(SOURCE.rglob("*.py")):
        if _SPEAKS_OF_PATTERNS.search(path.read_text(encoding="utf-8")):
            _Module(path).collect(collection)
    for path in sorted(SOURCE.rglob("*.yaml")):
        place = str(path.relative_to(SOURCE))
        for document in yaml.load_all(path.read_text(encoding="utf-8"), Loader=_YAML):
            for pattern in _in_schema(document):
                collection.add(pattern, 0, place, "search")
    return collection


def _key(compiled: "re.Pattern[Any] | regex.Pattern[Any]") -> Key:
    if isinstance(compiled, regex.Pattern):
        flags = compiled.flags & (re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE)
        compiled = re.compile(_plain(compiled.pattern), flags)
    return Key(compiled.pattern, compiled.flags)


def _plain(pattern: Any) -> Any:
    """What only `regex` can say, as `re` would say it, for how long it takes."""
    if isinstance(pattern, bytes):
        return pattern
    return re.sub(r"\\p\{\w+\}", r"\\w", pattern).replace(r"\X", ".")


class _Module:
    def __init__(self, path: Path) -> None:
        self._place = str(path.relative_to(SOURCE))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        self._nodes: list[ast.AST] = [tree]
        self._parents: dict[ast.AST, ast.AST] = {}
        for parent in self._nodes:  # which grows on the way
            for child in ast.iter_child_nodes(parent):
                self._nodes.append(child)
                self._parents[child] = parent
        self._dotted = ".".join(("sanbo", *path.relative_to(SOURCE).with_suffix("").parts))
        self._names: Mapping[str, Any] = {}

    def collect(self, collection: Collection) -> None:
        source_calls = list(self._calls())
        module = importlib.import_module(self._dotted.removesuffix(".__init__"))
        self._names = vars(module)
        before = len(collection.found)
        for call, name in source_calls:
            place = f"{self._place}:{call.lineno}"
            use = None if name == "compile" else _use(name)
            try:
                for pattern, flags in self._values(call, name):
                    collection.add(pattern, flags, place, use)
            except (NameError, AttributeError, TypeError, KeyError):
                written = (self._place, ast.unparse(call.args[0]))
                if written not in WRITTEN_BY_USERS:
                    collection.uncovered.append(f"{place} {ast.unparse(call)[:100]}")
        for pattern in self._of_schemas():
            collection.add(pattern, 0, self._place, "search")
        for name, value in self._names.items():
            is_alone = isinstance(value, re.Pattern | regex.Pattern)
            for pattern in _held(value, 4):
                for use in [None] if is_alone else self._uses_of_local_names:
                    collection.add(pattern, 0, f"{self._place} ({name})", use)
        self._uses(collection)
        if len(collection.found) > before:
            collection.modules.add(self._place)

    def _calls(self) -> Iterator[tuple[ast.Call, str]]:
        for node in self._nodes:
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name("re" | "regex"), attr=name)):
                    if name in _CALLS:
                        yield node, name
                case ast.ImportFrom(module="re" | "regex"):
                    raise AssertionError(f"{self._place}: `import re`, so that its calls are seen")
                case _:
                    pass

    def _values(self, call: ast.Call, name: str) -> list[tuple[Any, int]]:
        """The pattern and the flags of a call, for each turn of a comprehension around it."""
        at = _PLACE_OF_FLAGS.get(name, 2)
        flags = [word.value for word in call.keywords if word.arg == "flags"] or call.args[
            at : at + 1
        ]
        pair = ast.Tuple([call.args[0], flags[0] if flags else ast.Constant(0)], ast.Load())
        value: ast.expr = ast.List([pair], ast.Load())
        try:
            return self._evaluated(value)
        except NameError:
            return self._evaluated(self._with_turns(call, value))

    def _with_turns(self, call: ast.Call, value: ast.expr) -> ast.expr:
        inner: ast.AST = call
        while (outer := self._parents.get(inner)) is not None and not isinstance(outer, ast.stmt):
            if isinstance(outer, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
                each = ast.comprehension(ast.Name("_each", ast.Store()), value, [], 0)
                generators = [*outer.generators, each]
                value = ast.ListComp(ast.Name("_each", ast.Load()), generators)
            inner = outer
        return value

    def _evaluated(self, value: ast.expr) -> list[tuple[Any, int]]:
        expression = ast.fix_missing_locations(ast.Expression(value))
        code = compile(expression, self._place, "eval")
        given = LOCAL_VALUES.get(self._place, {})
        wanted = [name for name in given if name in {*code.co_names, *_inner_names(code)}]
        return [
            found
            for values in product(*(eval(given[name], dict(self._names)) for name in wanted))
            for found in eval(code, {**self._names, **dict(zip(wanted, values, strict=True))})
        ]

    def _of_schemas(self) -> Iterator[str]:
        """`pattern` of a schema or of a Pydantic field."""
        for node in self._nodes:
            values: list[ast.expr] = []
            if isinstance(node, ast.Call):
                values = [word.value for word in node.keywords if word.arg == "pattern"]
            elif isinstance(node, ast.Dict):
                values = [
                    value
                    for key, value in zip(node.keys, node.values, strict=True)
                    if isinstance(key, ast.Constant) and key.value == "pattern"
                ]
            for value in values:
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value
                elif isinstance(value, ast.Name) and isinstance(self._names.get(value.id), str):
                    yield self._names[value.id]

    def _uses(self, collection: Collection) -> None:
        """`NAME.match(…)` of a name that holds a pattern; any other mention may search with it."""
        for node in self._nodes:
            if not isinstance(node, ast.Name | ast.Attribute) or isinstance(node.ctx, ast.Store):
                continue
            value = self._value(node)
            if not isinstance(value, re.Pattern | regex.Pattern):
                continue
            parent = self._parents[node]
            use = "finditer"
            if isinstance(parent, ast.Attribute):
                if parent.attr not in _CALLS:
                    continue
                call = self._parents[parent]
                placed = isinstance(call, ast.Call) and call.func is parent and len(call.args) > 1
                use = _use(parent.attr, placed=placed)
            collection.found[_key(cast("re.Pattern[Any]", value))].uses.add(use)

    @cached_property
    def _uses_of_local_names(self) -> set[str | None]:
        """What `for pattern in _PATTERNS` does with `pattern`; anything, where it is not seen."""
        found: set[str | None] = set()
        for node in self._nodes:
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in _CALLS - {
                    "split"
                }:
                    if name not in self._names:
                        found.add(_use(attr))
                case _:
                    pass
        return found or {None}

    def _value(self, node: ast.expr) -> object:
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = self._names.get(node.value.id)
            return getattr(module, node.attr, None) if isinstance(module, ModuleType) else None
        return None


def _inner_names(code: CodeType) -> Iterator[str]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from inner.co_names


def _use(name: str, *, placed: bool = False) -> str:
    if name in {"match", "search", "fullmatch"}:
        return {"match": "match at", "search": "finditer"}.get(name, name) if placed else name
    return "finditer"


def _held(value: object, depth: int) -> Iterator[object]:
    """The patterns in what a module holds."""
    if isinstance(value, re.Pattern | regex.Pattern):
        yield value
    elif depth == 0 or isinstance(value, str | bytes | type | ModuleType):
        return
    elif isinstance(value, Mapping):
        for one in cast("Mapping[object, object]", value).items():
            yield from _held(one, depth)
    elif isinstance(value, tuple | list | set | frozenset):
        for one in cast("tuple[object, ...]", value):
            yield from _held(one, depth - 1)
    elif is_dataclass(value):
        for one in fields(value):
            yield from _held(getattr(value, one.name, None), depth - 1)


def _in_schema(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[object, object]", value).items():
            if key == "pattern" and isinstance(inner, str):
                yield inner
            else:
                yield from _in_schema(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _in_schema(inner)
