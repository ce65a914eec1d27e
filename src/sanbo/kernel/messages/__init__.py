"""The catalogue: every text a person reads, in Japanese and in English, side by side."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources
from typing import Literal, cast, get_args

import yaml

Language = Literal["ja", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

# The C loader reads the catalogue ten times as fast, which a person waits for at every command.
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
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
    return catalogue()[text_id][language or current_language()].format(**params)


def has_text(text_id: str) -> bool:
    return text_id in catalogue()


@cache
def catalogue() -> dict[str, dict[Language, str]]:
    """Every text by id, such as `answer_stale.hint`; the file's name is not part of the id."""
    texts: dict[str, dict[Language, str]] = {}
    for entry in sorted(resources.files(__name__).iterdir(), key=lambda entry: entry.name):
        if not entry.name.endswith(".yaml"):
            continue
        for text_id, by_language in _leaves(_read(entry.read_bytes()), ()):
            if text_id in texts:
                raise ValueError(f"{entry.name}: the text {text_id} is defined twice")
            texts[text_id] = by_language
    return texts


def _read(text: bytes) -> dict[str, object]:
    return yaml.load(text, _Loader)  # noqa: S506 - both loaders are safe ones


def _leaves(
    node: dict[str, object], prefix: tuple[str, ...]
) -> Iterator[tuple[str, dict[Language, str]]]:
    if set(node) & set(LANGUAGES):
        yield ".".join(prefix), cast("dict[Language, str]", node)
        return
    for key, child in node.items():
        yield from _leaves(cast("dict[str, object]", child), (*prefix, key))
