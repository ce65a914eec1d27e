"""The catalogue: every text a person reads, in Japanese and in English, side by side.

A text stands in `texts.yaml` or `texts/*.yaml` beside the code that tells it. Its id is its path of
keys, without the file's name. A file is read when the first text of a family, such as `cli.…`, that
has some of its texts there is asked for. Word lists of ours in YAML are read in the same way.
"""

import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, cast, get_args

import yaml

# The C loader reads them ten times as fast, which a person waits for at every command.
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(file: Path | Traversable) -> Any:
    """What is in a file that comes with Sanbo."""
    return yaml.load(file.read_bytes(), _Loader)  # noqa: S506 - both loaders are safe ones


Language = Literal["ja", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_FAMILY = re.compile(rb"^([\w-]+):", re.MULTILINE)
_current: ContextVar[Language] = ContextVar("language", default="ja")


def current_language() -> Language:
    return _current.get()


@contextmanager
def use_language(language: Language) -> Generator[None]:
    """Texts made inside the block are in this language."""
    token = _current.set(language)
    try:
        yield
    finally:
        _current.reset(token)


def set_language(language: Language) -> None:
    """For a whole process or script thread; inside a request, prefer `use_language`."""
    _current.set(language)


def tell(text_id: str, /, language: Language | None = None, **params: object) -> str:
    """The text of this id in the language asked for, or else in the current one."""
    texts = _texts_of(text_id.partition(".")[0])
    return texts[text_id][language or current_language()].format(**params)


def has_text(text_id: str) -> bool:
    family = text_id.partition(".")[0]
    return family in _files_by_family() and text_id in _texts_of(family)


def catalogue() -> dict[str, Mapping[Language, str]]:
    """Every text by id, such as `answer_stale.hint`."""
    families = _files_by_family()
    return {text_id: text for family in families for text_id, text in _texts_of(family).items()}


@cache
def _texts_of(family: str) -> Mapping[str, Mapping[Language, str]]:
    texts: dict[str, Mapping[Language, str]] = {}
    for file in _files_by_family().get(family, ()):
        for text_id, by_language in _leaves({family: _read(file)[family]}, ()):
            if text_id in texts:
                raise ValueError(f"{file}: the text {text_id} is defined twice")
            texts[text_id] = by_language
    return texts


@cache
def _read(file: Traversable) -> dict[str, dict[str, object]]:
    return read_yaml(file)


@cache
def _files_by_family() -> Mapping[str, tuple[Traversable, ...]]:
    """By the keys at the beginning of lines, because reading all as YAML takes too long."""
    files: dict[str, tuple[Traversable, ...]] = {}
    for file in _files(resources.files(__name__.partition(".")[0])):
        for family in _FAMILY.findall(file.read_bytes()):
            files[family.decode()] = (*files.get(family.decode(), ()), file)
    return files


def _files(folder: Traversable) -> Iterator[Traversable]:
    """Of a package and those in it; other folders hold data, perhaps thousands of files."""
    inside = {entry.name: entry for entry in folder.iterdir()}
    if folder.name == "texts":
        yield from inside.values()
    elif "__init__.py" in inside:
        for name, entry in sorted(inside.items()):
            if name == "texts.yaml":
                yield entry
            elif "." not in name and name != "__pycache__":
                yield from _files(entry)


def _leaves(
    node: Mapping[str, object], prefix: tuple[str, ...]
) -> Iterator[tuple[str, Mapping[Language, str]]]:
    if set(node) & set(LANGUAGES):
        yield ".".join(prefix), cast("Mapping[Language, str]", node)
        return
    for key, child in node.items():
        yield from _leaves(cast("Mapping[str, object]", child), (*prefix, key))
