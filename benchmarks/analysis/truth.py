"""The file read with plain pandas, without the product's readers."""

import re
import unicodedata
from typing import cast

import pandas as pd
from analysis.expectations import QuestionFile

_ERA = re.compile(r"令和(元|\d+)年(\d+)月(\d+)日")
_DAY = re.compile(r"(\d+)[-/年](\d+)[-/月](\d+)日?(.*)")


def read_table(file: QuestionFile) -> pd.DataFrame:
    frame = pd.read_csv(file.path, encoding=file.encoding, dtype=str, keep_default_na=False)
    frame = frame.astype(object).where(frame != "", None)
    for names, read in ((file.numbers, _number), (file.dates, _moment), (file.times, _minutes)):
        for name in names:
            frame[name] = [None if cell is None else read(cell) for cell in frame[name]]
            frame[name] = (
                pd.to_datetime(frame[name]) if read is _moment else pd.to_numeric(frame[name])
            )
    return frame


def _number(cell: str) -> float:
    text = unicodedata.normalize("NFKC", cell).replace("▲", "-")
    value = float(re.sub("[,円¥$%]", "", text))
    return value / 100 if text.endswith("%") else value


def _moment(cell: str) -> pd.Timestamp:
    if found := _ERA.fullmatch(cell):
        year = 1 if found[1] == "元" else int(found[1])
        return pd.Timestamp(2018 + year, int(found[2]), int(found[3]))
    found = cast("re.Match[str]", _DAY.fullmatch(cell))
    return pd.Timestamp(f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}{found[4]}")


def _minutes(cell: str) -> int:
    hours, minutes = cell.split(":")
    return int(hours) * 60 + int(minutes)
