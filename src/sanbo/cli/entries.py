"""What a person typed into one field, as the value it stands for."""

import math
import re
import unicodedata
from pathlib import Path

from pydantic import JsonValue

from sanbo.cli.given import existing
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.runs.model import Option, Requirement

# Both languages at any time: people who read English screens type はい, and the other way round.
_YES = frozenset({"y", "yes", "true", "1", "はい", "承認", "承認する", "ok"})
_NO = frozenset({"n", "no", "false", "0", "いいえ", "否認", "承認しない"})
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")


def value_typed(field: Requirement, typed: str) -> JsonValue:
    """None for nothing; raises a problem that says what was expected."""
    typed = typed.strip()
    if not typed:
        return None
    match field.type:
        case "boolean":
            return _boolean(field, typed)
        case "number":
            return _number(field, typed)
        case "select":
            return _choice(field, typed).value
        case _:
            return typed


def path_typed(field: Requirement, typed: str) -> Path:
    # Terminals put quotes around a file that is dropped onto them, or a backslash before a space.
    typed = typed.strip()
    if len(typed) > 1 and typed[0] == typed[-1] and typed[0] in "'\"":
        typed = typed[1:-1]
    path = Path(typed).expanduser()
    path = path if path.exists() else existing(typed.replace("\\ ", " "))
    if (field.type == "folder") != path.is_dir():
        wanted = "cli.ask.not_a_folder" if field.type == "folder" else "cli.ask.not_a_file"
        raise InvalidInput("entry_not_understood", reason=tell(wanted, path=path))
    return path


def _boolean(field: Requirement, typed: str) -> bool:
    word = matching_form(typed)
    if word in _YES or word in _NO:
        return word in _YES
    raise InvalidInput("entry_not_understood", reason=tell("cli.ask.not_yes_no", label=field.label))


def _number(field: Requirement, typed: str) -> int | float:
    # Full-width digits and thousands separators are how amounts are typed in Japanese offices.
    plain = unicodedata.normalize("NFKC", typed)
    if _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "")
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        value = float(plain)
    except ValueError:
        value = float("nan")
    if not math.isfinite(value):
        raise InvalidInput(
            "entry_not_understood", reason=tell("cli.ask.not_a_number", label=field.label)
        )
    return value


def _choice(field: Requirement, typed: str) -> Option:
    """By its number in the list, its value or its label."""
    word = matching_form(typed)
    for option in field.options:
        if word in (matching_form(str(option.value)), matching_form(option.label)):
            return option
    if word.isdecimal() and 1 <= int(word) <= len(field.options):
        return field.options[int(word) - 1]
    raise InvalidInput(
        "entry_not_understood",
        reason=tell("cli.ask.not_a_choice", label=field.label, count=len(field.options)),
    )
