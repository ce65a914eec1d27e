"""Names of files that a report or strangers' words are made into: never a path, never an option;
the ending tells the format."""

import re
import unicodedata
from typing import Literal, get_args
from urllib.parse import quote

ReportFormat = Literal["md", "docx", "xlsx", "html"]


def format_of(name: str) -> ReportFormat | None:
    """By the ending of the file that is wanted."""
    ending = name.rpartition(".")[2].casefold()
    known: dict[str, ReportFormat] = {"markdown": "md", "htm": "html"}
    known |= {form: form for form in get_args(ReportFormat)}
    return known.get(ending)


_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
_LONGEST_BYTES = 120
"""In UTF-8. Some encrypted disks take no more than 143 for a whole name."""
_KEPT = "-_（）・ー"


class FileNames:
    """Gives each title its own name; those given before are taken."""

    def __init__(self, taken: tuple[str, ...] = ("report.md", "specs.json")) -> None:
        self._taken = {_alike(name) for name in taken}

    def give(self, title: str, extension: str) -> str:
        """`extension` is ours, without its dot; the title may be anybody's."""
        stem = safe_stem(title)
        name, number = f"{stem}.{extension}", 1
        while _alike(name) in self._taken:
            number += 1
            name = f"{stem}_{number}.{extension}"
        self._taken.add(_alike(name))
        return name


def safe_stem(title: str) -> str:
    """Letters and digits of any script; everything else becomes an underscore."""
    letters = (
        letter
        if letter.isalnum() or letter in _KEPT or unicodedata.category(letter) == "Mn"
        else "_"
        for letter in unicodedata.normalize("NFC", title[:1000])
        if unicodedata.category(letter) != "Cf"
    )
    stem = re.sub("_+", "_", "".join(letters))
    # Cut between characters, then clean the ends: a dash would be read as an option.
    stem = stem.encode("utf-8", "ignore")[:_LONGEST_BYTES].decode("utf-8", "ignore").strip("-_")
    return f"_{stem}" if _RESERVED.fullmatch(stem) else stem or "untitled"


def target(name: str) -> str:
    """A file's name as a link leads to it: letters of any script stay readable."""
    return "".join(
        letter if letter.isalnum() or letter in "-_." else quote(letter, safe="") for letter in name
    )


def _alike(name: str) -> str:
    """As a system sees it that tells neither case nor composition apart."""
    return unicodedata.normalize("NFKC", name).casefold()
