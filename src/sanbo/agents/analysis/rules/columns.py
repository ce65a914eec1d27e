"""What a column is good for: to be summed, averaged, counted, to group by, to be a time axis."""

import re
from typing import Literal

from sanbo.agents.analysis.profile import ColumnProfile, TableProfile
from sanbo.agents.analysis.rules.wording import bare, name_words
from sanbo.agents.analysis.spec.words import Aggregate

Role = Literal["time", "year", "cycle", "id", "category", "amount", "level", "clock", "empty"]
"""`amount` adds up, `level` does not (an age, a price); `cycle` is a month's or hour's number."""

FEW = 15
"""Whole numbers with no more different values can be groups."""

FEWEST = 10
"""With no more, they are shown as bars, not cut into classes."""

_ID_WORDS = frozenset(
    {"id", "cd", "code", "no", "number", "key", "uuid", "zip", "postal", "tel", "phone", "sku"}
)
_ID_ENDS = ("id", "コード", "番号", "no", "no.", "cd", "code", "№", "品番", "型番", "電話", "郵便")
_LEVEL = re.compile(
    r"年齢|歳$|単価|価格|値段|定価|率|比|割合|度$|点数|得点|評価|評点|スコア|年収|"
    r"給与|給料|月給|賃金|家賃|賃料|面積|広さ|年数|徒歩|気温|温度|湿度|身長|体重|"
    r"緯度|経度|平均|中央|指数|偏差|順位|ランク|速度|距離|密度|日数$|所要|"
    r"リードタイム|築|レベル|満足|おすすめ|推奨"
)
_AMOUNT = re.compile(
    r"売上|金額|額$|数$|量$|高$|費$|料$|代$|利益|粗利|原価|コスト|経費|費用|支出|"
    r"収入|予算|目標|実績|計$|税|残業|時間$|件数|人数|回数|個数|台数|枚数|本数|"
    r"在庫|出荷|入荷|生産|不良|来客|客数|点$|円$"
)
_LEVEL_WORDS = frozenset(
    {
        "age",
        "price",
        "rate",
        "ratio",
        "percent",
        "percentage",
        "pct",
        "score",
        "rating",
        "salary",
        "rent",
        "area",
        "year",
        "temperature",
        "height",
        "weight",
        "latitude",
        "longitude",
        "average",
        "avg",
        "mean",
        "median",
        "index",
        "rank",
        "speed",
        "distance",
        "density",
        "satisfaction",
        "day",
        "minute",
        "duration",
        "time",
        "mpg",
        "horsepower",
        "acceleration",
        "displacement",
        "length",
        "width",
        "level",
        "lead",
        "tenure",
        "nps",
        "csat",
    }
)
_AMOUNT_WORDS = frozenset(
    {
        "sale",
        "amount",
        "revenue",
        "profit",
        "quantity",
        "qty",
        "unit",
        "cost",
        "expense",
        "total",
        "count",
        "gross",
        "budget",
        "income",
        "order",
        "hour",
        "number",
        "num",
        "volume",
        "stock",
        "inventory",
        "visit",
        "visitor",
        "defect",
        "output",
        "fee",
        "tax",
        "payment",
        "spend",
        "earning",
        "death",
        "case",
        "positive",
        "tested",
        "click",
        "view",
        "target",
        "forecast",
        "turnover",
        "inspected",
        "produced",
        "overtime",
        "ticket",
        "seat",
        "mrr",
        "arr",
        "session",
        "call",
        "booking",
        "guest",
        "passenger",
        "loan",
        "download",
    }
)
_CYCLE = {
    "月": 12,
    "month": 12,
    "日": 31,
    "day": 31,
    "date": 31,
    "時": 23,
    "hour": 23,
    "曜日": 7,
    "weekday": 7,
}


def role(column: ColumnProfile) -> Role:  # noqa: PLR0911 - one kind after the other
    name, tokens = bare(column.name), name_words(column.name)
    if column.type == "empty":
        return "empty"
    if column.is_temporal:
        return "time"
    if column.type == "time":
        return "clock"
    if not column.is_numeric:
        return "id" if _is_id(name, tokens) else "category"
    if column.type == "integer":
        if _is_year(column, name, tokens):
            return "year"
        if name in _CYCLE and _within(column, _CYCLE[name]):
            return "cycle"
        if _is_id(name, tokens) and column.unit == "":
            return "id"
    if column.type == "percent" or _LEVEL.search(name) or (tokens and tokens[-1] in _LEVEL_WORDS):
        return "level"
    if _AMOUNT.search(name) or _AMOUNT_WORDS.intersection(tokens):
        return (
            "level"
            if _LEVEL_WORDS.intersection(tokens) - {"day", "time", "area", "year"}
            else "amount"
        )
    if column.type == "currency" or column.unit in (
        "円",
        "千円",
        "万円",
        "百万円",
        "個",
        "件",
        "人",
        "本",
        "枚",
        "台",
    ):
        return "amount"
    return "level"


def _is_id(name: str, tokens: tuple[str, ...]) -> bool:
    return (name.endswith(_ID_ENDS) and not name.endswith("paid")) or bool(
        tokens and tokens[-1] in _ID_WORDS and len(tokens) > 1
    )


def _is_year(column: ColumnProfile, name: str, tokens: tuple[str, ...]) -> bool:
    if not (name.endswith(("年", "年度", "西暦")) or (tokens and tokens[-1] == "year")):
        return False
    low, high = column.minimum, column.maximum
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return True
    return (1000 <= low <= high <= 2200) or (0 <= low <= high <= 99)


def _within(column: ColumnProfile, most: int) -> bool:
    low, high = column.minimum, column.maximum
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return True
    return 0 <= low <= high <= most


class Columns:
    """The columns of a table with their roles."""

    def __init__(self, table: TableProfile) -> None:
        self.table = table
        self.roles: dict[str, Role] = {one.name: role(one) for one in table.columns}
        self._profiles = {one.name: one for one in table.columns}

    def __getitem__(self, name: str) -> ColumnProfile:
        return self._profiles[name]

    def __contains__(self, name: str) -> bool:
        return name in self._profiles

    def of(self, *roles: Role) -> tuple[str, ...]:
        return tuple(one.name for one in self.table.columns if self.roles[one.name] in roles)

    @property
    def measures(self) -> tuple[str, ...]:
        """That can be added up or averaged."""
        return self.of("amount", "level", "clock")

    @property
    def amounts(self) -> tuple[str, ...]:
        return self.of("amount")

    @property
    def dimensions(self) -> tuple[str, ...]:
        """That sensible groups can be made of, best ones first."""
        names = [
            one.name
            for one in self.table.columns
            if self.roles[one.name] == "category"
            and 1 < one.distinct <= max(50, self.table.rows // 5)
        ]
        return tuple(names)

    @property
    def times(self) -> tuple[str, ...]:
        return self.of("time")

    def is_measure(self, name: str) -> bool:
        return self.roles[name] in ("amount", "level", "clock")

    def is_numeric(self, name: str) -> bool:
        return self._profiles[name].is_numeric

    def can_group(self, name: str) -> bool:
        """Words, dates, ids, years, and whole numbers with few different values."""
        profile = self._profiles[name]
        if self.roles[name] in ("category", "time", "year", "cycle", "id"):
            return True
        return profile.type == "integer" and 0 < profile.distinct <= FEW

    def is_few(self, name: str) -> bool:
        """A whole number that is rather a name: cylinders, grades of one to five."""
        profile = self._profiles[name]
        return profile.type == "integer" and 0 < profile.distinct <= FEWEST

    def is_unique(self, name: str) -> bool:
        """Whether each row has its own value, or nearly."""
        profile = self._profiles[name]
        return profile.distinct >= 0.7 * max(1, self.table.rows - profile.missing)

    def is_row_name(self, name: str) -> bool:
        """Whether each row is one of these: names may come twice, but each has an id of its own."""
        if self.is_unique(name):
            return True
        has_id = any(self.is_unique(one) for one in self.of("id"))
        return has_id and self._profiles[name].distinct >= 0.3 * self.table.rows

    def usual_aggregate(self, name: str) -> Aggregate:
        match self.roles[name]:
            case "amount":
                return "sum"
            case "level" | "clock":
                return "mean"
            case "id":
                return "nunique"
            case _:
                return "count"
