"""Word fields without a stored result whose text is in their instruction, and pictogram fonts."""

import re

from sanbo.documents.ooxml.xml import Element, W, is_on, number_of, value_of
from sanbo.language.list_numbers import circled

_PAGE_NUMBER = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)(?!\w)", re.I)
_EQ = re.compile(r"(?<!\s)\s*+eq\s", re.I)
_SWITCH = re.compile(r'\\\*\s*(?:"[^"]*"|\S+)')
_RAISED = re.compile(r"\\(?:up|do)\s*\d*", re.I)
_COMMAND = re.compile(r"\\[a-z]+\s*\d*", re.I)
_RINGS = set("○◯〇")
_ENCLOSURES = _RINGS | set("□△◇")
_MAX_INSTRUCTION = 1_000

# What people use these fonts for in forms: check marks, bullets, arrows.
_PICTOGRAMS = {
    "wingdings": {
        0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "□", 0x75: "◆", 0x76: "❖", 0xA1: "○", 0xA7: "■",
        0xA8: "□", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE8: "➔", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒",
        0xFE: "☑", 0x28: "☎", 0x2A: "✉",
    },
    "wingdings 2": {0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0xA3: "□"},
    "symbol": {
        0xB1: "±", 0xB4: "×", 0xB7: "・", 0xB8: "÷", 0xB9: "≠", 0xA3: "≤", 0xB3: "≥", 0xA5: "∞",
        0xAC: "←", 0xAE: "→", 0xDE: "⇒", 0x61: "α", 0x62: "β", 0x67: "γ", 0x6D: "μ", 0x57: "Ω",
    },
}  # fmt: skip


def is_page_number(instruction: str) -> bool:
    return _PAGE_NUMBER.match(instruction) is not None


def text_of_instruction(instruction: str) -> str:
    """Of an EQ field: 囲い文字 and old ruby keep their text only there. Else nothing."""
    if len(instruction) > _MAX_INSTRUCTION or not _EQ.match(instruction):
        return ""
    body = _SWITCH.sub("", _EQ.sub("", instruction, count=1))
    opening = body.find("(")
    if opening < 0:
        return ""
    command, arguments = body[:opening].lower(), _arguments(body[opening:])
    plain = [_COMMAND.sub("", part).strip(" ()") for part in arguments if not _RAISED.search(part)]
    if "\\f" in command:
        return "/".join(plain)
    inside = "".join(part for part in plain if part not in _ENCLOSURES)
    if _RINGS.intersection(plain) and inside.isdecimal():
        return circled(int(inside)) or inside
    return inside


def _arguments(text: str) -> list[str]:
    """`(a(b,c),d)` → `a(b,c)` and `d`."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            break
        if sign == "," and depth == 1:
            parts.append("")
        else:
            parts[-1] += sign
    return [parts[0].removeprefix("("), *parts[1:]]


def text_of_form_field(begin: Element) -> str:
    """A check box or drop-down list of an old form, which has no result text."""
    if (box := begin.find(f"{W}ffData/{W}checkBox")) is not None:
        checked = box.find(f"{W}checked")
        return "☑" if is_on(box.find(f"{W}default") if checked is None else checked) else "□"
    if (choices := begin.find(f"{W}ffData/{W}ddList")) is not None:
        entries = choices.findall(f"{W}listEntry")
        chosen = number_of(choices.find(f"{W}result"))
        if chosen is None:
            chosen = number_of(choices.find(f"{W}default")) or 0
        return (value_of(entries[chosen]) or "") if 0 <= chosen < len(entries) else ""
    return ""


def text_of_symbol(symbol: Element) -> str:
    try:
        code = int(symbol.get(f"{W}char") or "", 16)
    except ValueError:
        return ""
    if 0xF000 <= code <= 0xF0FF:  # a place in the font's own table
        font = (symbol.get(f"{W}font") or "").lower()
        return _PICTOGRAMS.get(font, {}).get(code - 0xF000, "")
    return chr(code) if 0x20 <= code < 0xE000 else ""
