"""Instructions become plans whose every step was tried on the samples."""

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from sanbo.agents.analysis.datasets import Datasets
from sanbo.agents.analysis.settings import AnalysisSettings
from sanbo.blocks.contract.catalog import Catalog
from sanbo.documents.model import Source
from sanbo.documents.reading import Readers
from sanbo.plans.designing.approvals import people_in
from sanbo.plans.designing.composition import compose
from sanbo.plans.designing.draft import Draft
from sanbo.plans.designing.sources import read_material
from sanbo.plans.designing.workflow import tried
from sanbo.plans.settings import PlanSettings

SALES = """日付,支店,商品,数量,単価,金額,状態
2026-04-01,東京支店,ノート,3,1200,3600,出荷済
2026-04-02,大阪支店,鉛筆,10,80,800,取消
2026-05-03,東京支店,鉛筆,5,80,400,保留
2026-05-09,名古屋支店,ノート,2,1200,2400,出荷済
"""
ORDERS = """Date,Branch,Product,Qty,Amount,Status
2026-04-01,Tokyo,Note,3,3600,Shipped
2026-04-02,Osaka,Pen,10,800,Cancelled
2026-05-03,Tokyo,Pen,5,400,On hold
2026-05-09,Nagoya,Note,2,2400,Shipped
"""
STOCK = "品番,品名,帳簿数\nA-1,ボルト,10\nA-2,ナット,20\nA-3,座金,30\n"
COUNT = "品番,実棚数\nA-1,10\nA-2,18\nA-4,5\n"
LINES = "明細,品番,数量\n1,P-1,2\n2,P-2,3\n3,P-9,1\n"
PRICES = "品番,単価\nP-1,100\nP-2,50\n"
MANUAL = """# 受注チェック手順書

## 目的

取消の数え漏れを防ぐ。

## 手順

1. 状態が「取消」の行は除く。
2. 支店ごとに金額を合計する。
3. 金額合計が3,000円以上は判定を「大口」、それ以外は「通常」とする。
4. 営業部長が承認する。
"""


class Desk:
    def __init__(self, workspace: Path) -> None:
        self.readers = Readers()
        self.datasets = Datasets(AnalysisSettings())
        self.catalog = Catalog.load(workspace)

    def draft(self, instruction: str, **files: str | bytes) -> Draft:
        """File names as keywords: 売上__csv is 売上.csv."""
        sources = [
            Source(
                name=name.replace("__", "."),
                data=text if isinstance(text, bytes) else text.encode(),
            )
            for name, text in files.items()
        ]
        material = read_material(sources, self.readers)
        return compose(instruction, material, self.readers, self.datasets)

    def close(self) -> None:
        self.readers.close()
        self.datasets.close()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(tmp_path_factory.mktemp("workspace"))
    yield made
    made.close()


def results(draft: Draft) -> dict[str, list[dict[str, Any]]]:
    """What the workbook would hold, by the names of its sheets."""
    (write,) = [node for node in draft.nodes if node.get("block") == "excel.write"]
    data: Mapping[str, str] = write["in"]["data"]
    return {sheet: draft.samples.resolved(ref) for sheet, ref in data.items()}


def first(draft: Draft) -> list[dict[str, Any]]:
    return next(iter(results(draft).values()))


KEPT: tuple[tuple[str, str, Sequence[int]], ...] = (
    (SALES, "東京支店だけ抜いてExcelにして", (3600, 400)),
    (SALES, "東京支店以外をExcelに", (800, 2400)),
    (SALES, "東京支店は除いてExcelに出す", (800, 2400)),
    (SALES, "東京支店を抜いたものをExcelで", (800, 2400)),
    (SALES, "東京支店だけで、他は要りません", (3600, 400)),
    (SALES, "状態が取消のものは要りません", (3600, 400, 2400)),
    (SALES, "取消と保留は数えない", (3600, 2400)),
    (SALES, "1,000円未満は対象としない", (3600, 2400)),
    (SALES, "金額が1,000円以上のもの以外を出して", (800, 400)),
    (SALES, "出荷済のみ残し、金額の小さい順に並べる", (2400, 3600)),
    (ORDERS, "Only Tokyo, in Excel", (3600, 400)),
    (ORDERS, "Everything except Tokyo in Excel", (800, 2400)),
    (ORDERS, "Leave out cancelled orders and save to Excel", (3600, 400, 2400)),
    (ORDERS, "Do not include cancelled orders", (3600, 400, 2400)),
    (ORDERS, "Drop anything under 1000", (3600, 2400)),
    (ORDERS, "Just the shipped orders, smallest amount first", (2400, 3600)),
)


def test_what_is_kept_is_never_the_opposite(desk: Desk) -> None:
    for table, instruction, amounts in KEPT:
        name = "売上__csv" if table is SALES else "orders__csv"
        rows = first(desk.draft(instruction, **{name: table}))
        assert tuple(row.get("金額", row.get("Amount")) for row in rows) == amounts, instruction


def test_tables_are_linked_by_their_values(desk: Desk) -> None:
    looked_up = results(
        desk.draft(
            "明細に単価表の単価をあてて、数量×単価を金額として計算してExcelに。単価表にない品番は別シートに。",
            明細__csv=LINES,
            単価表__csv=PRICES,
        )
    )
    rows, lost = looked_up.values()
    assert [row["金額"] for row in rows] == [200, 150, None]
    assert [row["品番"] for row in lost] == ["P-9"]
    compared = desk.draft(
        "在庫と棚卸の数を突き合わせて、合わないものをExcelに。", 在庫__csv=STOCK, 棚卸__csv=COUNT
    )
    rows = first(compared)
    assert [(row["品番"], row["帳簿数"], row["実棚数"], row["差"]) for row in rows] == [
        ("A-2", 20, 18, -2)
    ]
    sides = [row["品番"] for rows in results(compared).values() for row in rows]
    assert {"A-3", "A-4"} <= set(sides)


def test_a_manual_says_what_to_do_in_its_order(desk: Desk) -> None:
    draft = desk.draft("手順書のとおりに処理してください。", 受注__csv=SALES, 手順書__md=MANUAL)
    labels = {row["支店"]: (row["金額合計"], row["判定"]) for row in first(draft)}
    assert labels == {"東京支店": (4000, "大口"), "名古屋支店": (2400, "通常")}
    (approve,) = [node for node in draft.nodes if node["id"] == "approve"]
    assert approve["in"]["role"] == "営業部長"


def test_a_quoted_value_is_left_out_though_its_noun_is_a_value_too(desk: Desk) -> None:
    claims = "番号,金額,状態\n1,8000,申請\n2,25000,申請\n3,90000,取下げ\n"
    rows = first(desk.draft("状態が「取下げ」の申請は載せません。", 立替__csv=claims))
    assert [row["番号"] for row in rows] == [1, 2]


def test_what_the_other_table_lacks_is_found(desk: Desk) -> None:
    people = "Customer ID,Name\nC1,Ann\nC2,Bob\n"
    orders = "Order,Customer ID\nO1,C1\nO2,C1\n"
    draft = desk.draft(
        "List the customers who have no orders, in Excel.",
        customers__csv=people,
        orders__csv=orders,
    )
    assert [row["Name"] for row in first(draft)] == ["Bob"]


def test_files_in_a_zip_become_one_table(desk: Desk) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for month in ("04", "05"):
            lines = [line for line in SALES.splitlines() if f"-{month}-" in line]
            archive.writestr(f"{month}.csv", "\n".join((SALES.splitlines()[0], *lines)))
    draft = desk.draft(
        "ZIPのCSVをまとめて、商品ごとの件数と金額の合計をExcelに", 売上__zip=packed.getvalue()
    )
    made = {row["商品"]: (row["件数"], row["金額合計"]) for row in first(draft)}
    assert made == {"ノート": (2, 6000), "鉛筆": (2, 1200)}


def test_people_are_found_by_what_they_do() -> None:
    wanted = {
        "人事課長に見てもらって、OKならExcelに出力": ["人事課長"],
        "監査室長と経理部長の二名に提示し、双方の承認を得る": ["監査室長", "経理部長"],
        "契約金額が500万円以上は確認者を「法務部長」とする": [],
        "The HR director has to okay the list before it's saved": ["HR director"],
        "Both the IT security manager and the financial controller must approve": [
            "IT security manager",
            "financial controller",
        ],
        "Needs sign-off by the finance manager": ["finance manager"],
    }
    for sentence, names in wanted.items():
        assert [one.who for one in people_in(sentence)] == names, sentence


def test_nothing_is_written_before_all_have_approved(desk: Desk) -> None:
    for instruction in (
        "Excelに書き出し、部長が承認する",
        "部長が承認したらExcelに書き出す",
        "Excelにしてください。書き出す前に部長の決裁が要ります。",
    ):
        draft = desk.draft(instruction, 売上__csv=SALES)
        (write,) = [node for node in draft.nodes if node["id"] == "write"]
        assert write["when"] == {"expr": "${approve.approved} == true"}, instruction


def test_an_approval_on_a_condition_lets_small_sums_pass(desk: Desk) -> None:
    draft = desk.draft("合計が1万円を超えるときだけ部長が承認し、Excelに書き出す", 売上__csv=SALES)
    approve = next(node for node in draft.nodes if node["id"] == "approve")
    write = next(node for node in draft.nodes if node["id"] == "write")
    assert approve["when"] == {"expr": "${total.rows.0.total} > 10000"}
    assert "!(${total.rows.0.total} > 10000)" in write["when"]["expr"]


def test_what_found_no_place_is_named(desk: Desk) -> None:
    draft = desk.draft(
        "利益率を計算する。承認を得る。結果はExcelに。", 売上__csv=SALES, 経費__csv=PRICES
    )
    told = " ".join(draft.open_points)
    assert "利益率を計算する" in told
    assert "だれが承認するか" in told
    assert "経費" in told
    head = draft.text("plan").split("apiVersion")[0]
    assert all(point in head for point in draft.open_points)


def test_plans_rehearse_without_findings(desk: Desk) -> None:
    cases: tuple[tuple[str, dict[str, str]], ...] = (
        ("請求書のZIPと入金明細CSVを照合して、差異をExcelに書き出し、部長が承認する", {}),
        (
            "Reconcile the invoices ZIP with the payments CSV, write the differences to Excel, "
            "and have the manager approve.",
            {},
        ),
        ("支店別に金額を集計し、大きい順に並べてCSVに出す", {"売上__csv": SALES}),
        ("手順書のとおりに処理してください。", {"受注__csv": SALES, "手順書__md": MANUAL}),
    )
    for instruction, files in cases:
        draft = desk.draft(instruction, **files)
        attempt = tried(draft.text("plan"), desk.catalog, PlanSettings())
        assert attempt.stage == "dry_run", attempt.findings
        assert not attempt.findings, attempt.findings
        assert not draft.open_points, draft.open_points


def test_what_a_person_writes_never_becomes_a_reference(desk: Desk) -> None:
    draft = desk.draft("${env.HOME} をExcelに書き出す", 売上__csv=SALES)
    assert "$${env.HOME}" in draft.text("plan")


def test_totals_in_a_sample_are_left_out_and_told(desk: Desk) -> None:
    sales = "支店,金額\n東京,100\n大阪,300\n東京,200\n合計,600\n"
    draft = desk.draft("売上CSVを支店別に金額を集計してExcelにする", 売上__csv=sales)
    assert [sorted(map(str, row.values())) for row in first(draft)] == [
        ["300", "東京"],
        ["300", "大阪"],
    ]
    assert any("totals: keep" in point for point in draft.open_points)
