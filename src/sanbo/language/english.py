"""English words: which of them say what a text is about, and their one form."""

import re
from functools import lru_cache
from importlib.resources import files

import yaml

EMPTY: frozenset[str] = frozenset(
    yaml.safe_load(files("sanbo.language").joinpath("english.yaml").read_text("utf-8"))[
        "empty"
    ].split()
)
"""In lower case: what every question and text has."""
_INFLECTED = (
    ("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("ing", ""), ("ed", ""), ("s", "")
)  # fmt: skip
_DERIVED = (("ation", "at", 4), ("ion", "", 5), ("ment", "", 3), ("al", "", 5), ("ly", "", 4))
"""What is cut, what is put in its place, and how many letters must be left."""
_PART = re.compile(r"['’]")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Enough for claims, claimed and claiming, donate and donation; never below three letters."""
    word = _PART.split(word, maxsplit=1)[0] or word
    for ending, instead in _INFLECTED:
        short = word.removesuffix(ending) + instead
        if word.endswith(ending) and not word.endswith("ss") and len(short) > 2:
            word = short[:-1] if ending in {"ed", "ing"} and short[-1] == short[-2] else short
            break
    for ending, instead, left in _DERIVED:
        short = word.removesuffix(ending) + instead
        if word.endswith(ending) and len(short) >= left:
            word = short
            break
    return word.removesuffix("e") if len(word) > 3 else word


def is_empty(word: str) -> bool:
    """Also with what is pulled together: don't, it's."""
    return word in EMPTY or _PART.split(word, maxsplit=1)[0] in EMPTY
