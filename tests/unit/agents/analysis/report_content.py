"""Small reports to compose, export and compare."""

from sanbo.agents.analysis.outcome import CellKind, JsonCell, Note, ResultTable, TableColumn
from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile
from sanbo.agents.analysis.report import (
    ReportContent,
    ReportFigure,
    ReportResult,
    ReportTable,
    Version,
)
from sanbo.agents.analysis.spec.operations import GroupbyAgg
from sanbo.agents.analysis.spec.plots import Bar

PNG = b"\x89PNG\r\n\x1a\n..."


def table(
    *rows: tuple[JsonCell, ...],
    title: str = "店舗別の売上（合計）",
    names: tuple[str, ...] = ("店舗", "売上_sum"),
    labels: tuple[str, ...] = ("店舗", "売上（合計）"),
    kinds: tuple[CellKind, ...] = ("text", "integer"),
    units: tuple[str, ...] = ("", "円"),
    row_count: int | None = None,
) -> ResultTable:
    columns = zip(names, labels, kinds, units, strict=True)
    return ResultTable(
        title=title,
        columns=tuple(
            TableColumn(name=name, label=label, kind=kind, unit=unit)
            for name, label, kind, unit in columns
        ),
        rows=rows,
        row_count=len(rows) if row_count is None else row_count,
    )


STORES = table(("新宿店", 33_210_000), ("渋谷店", 24_567_890))


def content(*tables: ResultTable, **changes: object) -> ReportContent:
    tables = tables or (STORES,)
    whole = ReportContent(
        language="ja",
        question="店舗別の売上合計は？",
        conclusion="新宿店の33,210,000円が最も多くなっています。",
        results=(
            ReportResult(
                result_id="r1",
                spec=GroupbyAgg(group_cols=("店舗",), metrics={"売上": ("sum",)}),
                tables=tuple(
                    ReportTable(name=f"表{number}.csv", table=one)
                    for number, one in enumerate(tables, start=1)
                ),
                notes=(
                    Note(kind="convention", text="欠損は除いて計算しました。"),
                    Note(kind="caution", text="負の値があります。"),
                ),
                input_rows=1440,
                used_rows=1200,
            ),
            ReportResult(
                result_id="r2",
                spec=Bar(x="店舗", y="売上"),
                figures=(
                    ReportFigure(
                        name="図1.png", title="店舗別の売上", alt="棒グラフ", table=tables[0]
                    ),
                ),
                input_rows=1440,
                used_rows=1440,
            ),
        ),
        dataset=DatasetProfile(
            dataset_id="ds_1",
            name="sales.csv",
            sha256="ab" * 32,
            size=1,
            rows=1440,
            columns=(
                ColumnProfile(name="店舗", type="text"),
                ColumnProfile(name="売上", type="integer", unit="円"),
            ),
        ),
        engine="rules",
        sandbox="Landlock + seccomp",
        versions=(Version(name="pandas", version="3.1.0"),),
    )
    return whole.model_copy(update=changes)
