"""Sheets of one workbook that are told apart by name, and what goes into each."""

import re

from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.vocabulary import language_of, plain
from sanbo.plans.designing.work import Work

_NAMED_JA = re.compile(
    r"(?:\d枚目の?)?(?:シート|タブ)?(?:名)?(?:は|[:：])?「(?P<q>[^「」]{1,31})"
    r"」(?:の)?(?:シート|タブ)?(?P<j>に|へ|[:：]|は|として|"
    r"が)(?:は|、)?|"
    r"(?:(?P<n>\d)枚目|もう1枚)の?(?:シート|タブ)?(?:に|は|へ)(?:は|、)?"
)
_NAMED_EN = re.compile(
    r"(?:\b(?:a |the )?(?:first |second |third |other )?(?:sheet|"
    r"tab)(?: called| named)? )?[\"“](?P<q>[^\"“”]{1,31})[\"”](?: (?:sheet|"
    r"tab))?"
    r"(?P<j>:| with| for| listing| lists| shows?| showing| has| have| contains?| containing| \(|,)|"
    r"\b(?:a|the|one|another) (?P<n>first |second |third |other |"
    r"separate )?(?:sheet|tab) (?:with|for|listing|showing|"
    r"of)\b"
)
_SHEET = re.compile(r"シート|タブ|枚目|\bsheets?\b|\btabs?\b")


def sheets_in(work: Work, sentence: str) -> list[tuple[str, str]]:
    """Names with what is said of each, where a sentence tells sheets apart."""
    if not _SHEET.search(work.whole) or any(one.kind == "template" for one in work.material.files):
        return []
    is_japanese = language_of(sentence) == "ja"
    found = [
        one
        for one in (_NAMED_JA if is_japanese else _NAMED_EN).finditer(sentence)
        if _is_sheet(work, one, sentence)
    ]
    if not found or (len(found) < 2 and not work.sheets and found[0].start() > 8):
        return []
    made: list[tuple[str, str]] = []
    start = 0
    ends = [*(one.start() for one in found[1:]), len(sentence)]
    is_before = is_japanese and sentence[: found[0].start()].endswith("を")
    for number, one in enumerate(found):
        text = sentence[start : one.start()] if is_before else sentence[one.end() : ends[number]]
        start = one.end()
        name = one["q"] or work.draft.say("sheet.number", number=number + 1 + len(work.sheets))
        made.append((name, text.strip(" 、,。.") or name))
    return made


def _is_sheet(work: Work, found: re.Match[str], sentence: str) -> bool:
    """A quoted name that is no value, no heading, and no label."""
    name = found["q"]
    if name is None:
        return True
    tables = [one.made for one in work.tables if one.made is not None]
    tables += [work.current] if work.current is not None else []
    known = {plain(column) for table in tables for column in table.columns}
    known |= {
        plain(str(value)) for table in tables for row in table.sample for value in row.values()
    }
    is_said = bool(_SHEET.search(found[0])) or found["j"] in (":", "：", " with", " (")
    return plain(name) not in known and (is_said or bool(_SHEET.search(sentence)))


def the_others(draft: Draft, rows: Rows) -> Rows | None:
    """What was left out where these rows were kept."""
    if ".filtered}" in rows.ref:
        return draft.rows(rows.ref.replace(".filtered}", ".excluded}"), rows.title, rows)
    return None
