"""Tables of a manual whose rows are looked up: rates by rank, limits by category."""

import re
from typing import Any

from sanbo.plans.designing.sources import Source
from sanbo.plans.designing.vocabulary import plain
from sanbo.plans.designing.work import Work

_NUMBER = re.compile(
    r"[¥$€£]?\s?(-?\d[\d,]{0,14}(?:\.\d{1,6})?)\s?(?P<u>%|円|"
    r"yen|usd|eur|jpy|千円|万円|日|時間|days?|hours?)?"
)
_SCALES = {"%": 0.01, "千円": 1000, "万円": 10000}
_MET = 0.5
"""The share of its first cells that must be values of a column."""


def manual_tables(work: Work) -> list[Source]:
    """As sources that are given with the plan itself."""
    made: list[Source] = []
    for manual in work.material.manuals:
        for head, *lines in manual.tables:
            if len(head) < 2 or len(lines) < 2 or not _is_keyed(work, [line[0] for line in lines]):
                continue
            rows = [
                {name: _value(cell) for name, cell in zip(head, line, strict=False)}
                for line in lines
            ]
            source = Source(head[0], "manual", None)
            title = work.draft.say("manual_table", name=head[0])
            node = work.draft.add("table", "transforms.union", {"tables": [rows]}, title=title)
            source.made = work.draft.rows(f"${{{node}.rows}}", title)
            source.sheet = title
            made.append(source)
    return made


def _is_keyed(work: Work, cells: list[str]) -> bool:
    wanted = {plain(cell) for cell in cells}
    for source in work.tables:
        if source.kind == "documents":
            continue
        rows = source.rows(work.draft)
        for name in rows.columns:
            values = {plain(str(row.get(name))) for row in rows.sample}
            if len(wanted & values) >= _MET * len(wanted):
                return True
    return False


def _value(cell: str) -> Any:
    match = _NUMBER.fullmatch(cell.strip())
    if match is None:
        return cell
    number = float(match[1].replace(",", "")) * _SCALES.get(match["u"] or "", 1)
    return int(number) if number.is_integer() else round(number, 8)
