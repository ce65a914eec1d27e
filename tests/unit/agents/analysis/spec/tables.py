"""Tables to bind specs to."""

from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile, TableProfile

SALES = DatasetProfile(
    dataset_id="ds_123",
    name="sales.csv",
    sha256="0" * 64,
    size=1000,
    rows=365,
    columns=(
        ColumnProfile(name="日付", type="date", minimum="2025-01-01", maximum="2025-12-31"),
        ColumnProfile(name="店舗", type="text", distinct=3, values=("新宿店", "渋谷店", "池袋店")),
        ColumnProfile(name="売上", type="integer", unit="円", minimum=1000, maximum=90000),
        ColumnProfile(name="Unit Price", type="currency", unit="円"),
        ColumnProfile(name="会員", type="boolean", distinct=2, values=("True", "False")),
        ColumnProfile(name="備考", type="text", distinct=300, values=("なし",), is_whole=False),
        ColumnProfile(name="開店", type="time"),
    ),
)
MONTHS = TableProfile(
    rows=12,
    columns=(
        ColumnProfile(name="日付", type="text", distinct=12),
        ColumnProfile(name="売上_sum", type="integer", unit="円"),
    ),
)
TABLES: dict[str, TableProfile] = {"dataset": SALES, "r1": MONTHS}
