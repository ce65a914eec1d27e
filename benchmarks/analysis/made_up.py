"""A table of the corpus with made-up rows, and its profile by the real loader.

The rows are the same in every run: what is drawn depends on the table's name alone.
"""

import csv
import hashlib
import io
import random
import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import PurePath

from sanbo.agents.analysis.jobs import LoadJob
from sanbo.agents.analysis.loading import load
from sanbo.agents.analysis.profile import DatasetProfile

from .notation import Table

ROWS = 110
_FAMILIES = "佐藤 鈴木 高橋 田中 伊藤 渡辺 山本 中村 小林 加藤 吉田 山田"
_GIVEN = "太郎 花子 健 美咲 翔 葵 誠 陽子"
_FIRST = "Anna Ben Carla Dev Erin Faisal Grace Hugo Iris Jack"
_LAST = "Allen Brooks Costa Diaz Evans Ford Green Hall"
_JAPANESE = [a + b for a in _FAMILIES.split() for b in _GIVEN.split()]
_ENGLISH = [f"{a} {b}" for a in _FIRST.split() for b in _LAST.split()]
_OF_YEARS = r"(?:[<>=!]+|in|not in) (?:19|20)\d\d\b(?!\.)"
_UP_TO_A_HUNDRED = ("率", "rate", "score")


def profile_of(table: Table) -> DatasetProfile:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(table.columns)
    writer.writerows(_Rows(table).drawn())
    data = text.getvalue().encode()
    name = str(PurePath(table.name).with_suffix(".csv"))
    job = LoadJob(name=name, sha256=hashlib.sha256(data).hexdigest())
    return load(job, memoryview(data), io.BytesIO())


class _Rows:
    def __init__(self, table: Table) -> None:
        self._table = table
        self._random = random.Random(hashlib.md5(table.name.encode()).digest())
        columns = table.columns
        self._names = _JAPANESE if any(c > "\u3000" for c in "".join(columns)) else _ENGLISH
        self._scales = {column: self._random.choice([50, 300, 2000]) for column in columns}
        self._gaps = {column for column in columns if self._random.random() < 0.25}
        wanted = "".join(one.wanted for one in table.questions)
        self._gaps |= {c for c in columns if f"{c} blank" in wanted or f"{c} filled" in wanted}
        self._years = {
            column for column in columns if re.search(rf"{re.escape(column)} {_OF_YEARS}", wanted)
        }
        free = [column for column in columns if columns[column] in ("text", "id")]
        self._values = {column: self._asked_for(column) for column in free}
        self._parts = {column: self._parts_asked_for(column) for column in free}

    def drawn(self) -> list[list[str]]:
        return [[self._cell(column, at) for column in self._table.columns] for at in range(ROWS)]

    def _asked_for(self, column: str) -> Sequence[str]:
        """What questions name has to stand in the table."""
        return [
            value
            for one in self._table.questions
            for value in (
                *_named(column, "=|!=", one.wanted),
                *(
                    part.strip()
                    for values in _named(column, "not in|in", one.wanted)
                    for part in values.split(",")
                ),
            )
        ]

    def _parts_asked_for(self, column: str) -> Sequence[str]:
        questions = self._table.questions
        return [part for one in questions for part in _named(column, "contains", one.wanted)]

    def _cell(self, column: str, at: int) -> str:
        kind, draw = self._table.columns[column], self._random
        if column in self._gaps and kind != "id" and draw.random() < 0.12:
            return ""
        match kind:
            case tuple():
                cell = draw.choice(kind)
            case "id":
                values = self._values[column]
                cell = values[at] if at < len(values) else f"A{10001 + at}"
            case "number" if column in self._years:
                cell = str(draw.randint(2012, 2025))
            case "number" if any(part in column.lower() for part in _UP_TO_A_HUNDRED):
                cell = f"{draw.uniform(1, 99):.1f}"
            case "number":
                cell = str(draw.randint(0, self._scales[column]))
            case "money":
                cell = str(draw.randint(5, self._scales[column] * 40) * 10)
            case "date":
                cell = str(date(2023, 1, 1) + timedelta(days=draw.randint(0, 1090)))
            case "time":
                at_clock = timedelta(minutes=draw.randint(8 * 60, 20 * 60))
                day = datetime(2023, 1, 1) + timedelta(days=draw.randint(0, 1090))
                cell = str(day + at_clock)[:16]
            case "bool":
                cell = draw.choice(["TRUE", "FALSE"])
            case _:
                cell = self._text(column)
        return cell

    def _text(self, column: str) -> str:
        draw, values, parts = self._random, self._values[column], self._parts[column]
        if values and draw.random() < 0.4:
            return draw.choice(values)
        if parts and draw.random() < 0.3:
            return draw.choice(self._names) + draw.choice(parts)
        name = draw.choice(self._names)
        return name + (str(draw.randint(1, 30)) if draw.random() < 0.3 else "")


def _named(column: str, how: str, wanted: str) -> list[str]:
    found = re.findall(rf"{re.escape(column)} (?:{how}) ([^;|]+?)(?= ;| \||$| or )", wanted)
    return [value.strip() for value in found]
