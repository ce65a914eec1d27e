"""Tables as a thinker sees them, without their rows."""

from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile


def words(name: str, *values: str, distinct: int | None = None) -> ColumnProfile:
    count = len(values) if distinct is None else distinct
    return ColumnProfile(name=name, type="text", values=values, distinct=count)


def number(name: str, low: float, high: float, unit: str = "") -> ColumnProfile:
    return ColumnProfile(
        name=name, type="integer", minimum=low, maximum=high, unit=unit, distinct=500
    )


def day(name: str, first: str = "2023-04-01", last: str = "2025-03-31") -> ColumnProfile:
    return ColumnProfile(name=name, type="date", minimum=first, maximum=last, distinct=700)


def each(name: str) -> ColumnProfile:
    """Another one in every row."""
    return ColumnProfile(name=name, type="text", distinct=1000)


def with_gaps(column: ColumnProfile) -> ColumnProfile:
    return column.model_copy(update={"missing": 200})


def table(*columns: ColumnProfile, rows: int = 1000) -> DatasetProfile:
    names = "|".join(column.name for column in columns)
    return DatasetProfile(
        rows=rows, columns=columns, dataset_id=names, name="t.csv", sha256="0" * 64, size=1
    )


SHOP = table(
    day("日付"),
    words("店舗名", "新宿店", "渋谷店", "梅田店"),
    words("地域", "関東", "関西"),
    words("商品コード", "00150", "02044", distinct=80),
    number("売上金額", 100, 500_000, "円"),
    number("売上数量", 1, 40),
    number("原価", 80, 300_000, "円"),
)
