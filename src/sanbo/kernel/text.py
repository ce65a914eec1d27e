"""Texts compared and told apart: one spelling for a word, names in a row, what can't be seen."""

import unicodedata
from collections.abc import Iterable

from sanbo.kernel.messages import tell

TURNS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They turn the direction in which a text is read: it shows as another."""
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters of 한글 that show as nothing."""


def matching_form(text: str) -> str:
    """NFKC, case-folded, white space collapsed: `ＡＢＣ　Ｌｔｄ` and `abc ltd` are one."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def listed(names: Iterable[str], most: int = 10) -> str:
    """A few of them for people, in the current language: `甲、乙 …`."""
    every = list(names)
    return tell("comma").join(every[:most]) + (" …" if len(every) > most else "")


def unseen_characters(text: str) -> str:
    """Control, zero-width and turning characters, and halves of characters: `U+202E, U+200B`."""
    unseen = (letter for letter in text if _is_unseen(letter))
    return ", ".join(dict.fromkeys(f"U+{ord(letter):04X}" for letter in unseen))


def with_unseen_shown(text: str) -> str:
    return "".join(f"<U+{ord(char):04X}>" if _is_unseen(char) else char for char in text)


def _is_unseen(letter: str) -> bool:
    kind = unicodedata.category(letter)
    return kind in ("Cc", "Cf", "Cs", "Zl", "Zp") or letter in _FILLERS
