"""Instructions become plans that validate, rehearse, and run to what was asked for."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sanbo.agents.analysis.datasets import Datasets
from sanbo.agents.analysis.settings import AnalysisSettings
from sanbo.blocks.contract.catalog import Catalog
from sanbo.documents.model import Source
from sanbo.documents.reading import Readers
from sanbo.plans.designing.clauses import clauses
from sanbo.plans.designing.composition import compose
from sanbo.plans.designing.draft import Draft
from sanbo.plans.designing.material import Material, read_material
from sanbo.plans.designing.trial import tried
from sanbo.plans.settings import PlanSettings

SALES = """日付,支店,商品,数量,単価,金額,備考
2026-04-01,東京,ノート,3,1200,3600,
2026-04-02,大阪,鉛筆,10,80,800,至急
2026-05-03,東京,鉛筆,5,80,400,
2026-05-09,名古屋,ノート,2,1200,2400,至急
"""
CUSTOMERS = "id,name,email\n1,Ann,a@x.com\n2,Bob,\n2,Cid,c@x.com\n"
PRICES = "商品,仕入先\nノート,青葉商店\n鉛筆,若葉工業\n"
MANUAL = """# 手順書

1. 売上から備考が「至急」の行だけを抜き出す。
2. 部長の承認を得る。
3. Excelに書き出す。
"""


class Desk:
    def __init__(self, workspace: Path) -> None:
        self.readers = Readers()
        self.datasets = Datasets(AnalysisSettings())
        self.catalog = Catalog.load(workspace)

    def material(self, files: Mapping[str, str]) -> Material:
        sources = [Source(name=name, data=text.encode()) for name, text in files.items()]
        return read_material(sources, self.readers, self.datasets)

    def draft(self, instruction: str, **files: str) -> Draft:
        """File names as keywords: 売上__csv is 売上.csv."""
        named = {name.replace("__", "."): text for name, text in files.items()}
        return compose(instruction, self.material(named))

    def close(self) -> None:
        self.readers.close()
        self.datasets.close()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(tmp_path_factory.mktemp("workspace"))
    yield made
    made.close()


def blocks(draft: Draft) -> list[str]:
    return [node["block"].rpartition(".")[2] for node in draft.nodes]


def test_clauses_end_where_something_else_is_asked_for() -> None:
    cut = {
        "請求書のZIPと入金明細CSVを照合して、差異をExcelに書き出し、部長が承認する": 3,
        "日付、支店、金額の列だけにして、金額の大きい順に並べてCSVに出す": 3,
        "部署ごとに、金額を合計する": 1,
        "金額が1,000円以上の行を抽出する": 1,
        "Keep the rows of Tokyo, sum the amount by product and sort by amount, then save as CSV": 4,
    }
    for text, count in cut.items():
        assert len(clauses(text)) == count, clauses(text)


CASES: tuple[tuple[str, dict[str, str], list[str]], ...] = (
    (
        "請求書のZIPと入金明細CSVを照合して、差異をExcelに書き出し、部長が承認する",
        {},
        ["parse_zip_2tier", "process_llm", "rename_fields", "read_csv", "reconcile", "write",
         "interactive_input"],
    ),
    (
        "Reconcile the invoices ZIP with the payments CSV, write the differences to Excel, "
        "and have the manager approve.",
        {},
        ["parse_zip_2tier", "process_llm", "rename_fields", "read_csv", "reconcile", "write",
         "interactive_input"],
    ),
    (
        "東京支店の行だけを抜き出してExcelに書き出す",
        {"売上__csv": SALES},
        ["read_csv", "filter", "write"],
    ),
    (
        "支店別に金額を集計し、大きい順に並べてCSVに出す",
        {"売上__csv": SALES},
        ["read_csv", "group_by_agg", "sort", "write_csv"],
    ),
    (
        "売上に仕入先マスタの仕入先をあて、数量×単価を計算額として計算し、Excelに書き出す",
        {"売上__csv": SALES, "仕入先マスタ__csv": PRICES},
        ["read_csv", "read_csv", "lookup", "compute", "write"],
    ),
    (
        "The email must not be blank and the id must not be duplicated. Write the rows with "
        "problems to Excel.",
        {"customers__csv": CUSTOMERS},
        ["read_csv", "validate_rules", "compute_features", "filter", "write"],
    ),
    (
        "手順書のとおりに処理する",
        {"売上__csv": SALES, "手順書__md": MANUAL},
        ["read_csv", "filter", "interactive_input", "write"],
    ),
)  # fmt: skip


def test_instructions_become_plans_that_rehearse(desk: Desk) -> None:
    for instruction, files, wanted in CASES:
        draft = desk.draft(instruction, **files)
        assert blocks(draft) == wanted, instruction
        attempt = tried(draft.text("plan"), desk.catalog, PlanSettings())
        assert attempt.stage == "dry_run", attempt.findings
        assert not attempt.findings, attempt.findings
        assert not draft.open_points, draft.open_points


def test_conditions_are_those_of_the_table(desk: Desk) -> None:
    wanted = {
        "東京の行だけ": [{"field": "支店", "operator": "eq", "value": "東京"}],
        "金額が1,000円以上の行だけを抜き出す": [
            {"field": "金額", "operator": "gte", "value": 1000}
        ],
        "備考が空でない行だけを残す": [{"field": "備考", "operator": "filled"}],
    }
    for text, conditions in wanted.items():
        draft = desk.draft(text, 売上__csv=SALES)
        assert draft.nodes[-1]["in"]["conditions"] == conditions, text


def test_an_approval_stands_where_the_text_has_it(desk: Desk) -> None:
    before = desk.draft("部長が承認したらExcelに書き出す", 売上__csv=SALES)
    after = desk.draft("Excelに書き出し、部長が承認する", 売上__csv=SALES)
    asked = desk.draft("Excelに書き出す。書き出す前に部長が承認する。", 売上__csv=SALES)
    for draft, waits in ((before, True), (after, False), (asked, True)):
        (write,) = [node for node in draft.nodes if node["block"] == "excel.write"]
        (approve,) = [node for node in draft.nodes if node["block"] == "ui.interactive_input"]
        assert ("when" in write) == waits
        assert ("after" in approve) != waits
        assert approve["in"]["role"] == "部長"


def test_an_approval_on_a_condition_lets_small_sums_pass(desk: Desk) -> None:
    draft = desk.draft("合計が1万円を超えるときだけ部長が承認し、Excelに書き出す", 売上__csv=SALES)
    approve = next(node for node in draft.nodes if node["id"] == "approve")
    write = next(node for node in draft.nodes if node["id"] == "write")
    assert approve["when"] == {"expr": "${total.rows.0.total} > 10000"}
    assert "!(${total.rows.0.total} > 10000)" in write["when"]["expr"]


def test_what_found_no_place_is_named(desk: Desk) -> None:
    draft = desk.draft(
        "利益率を計算し、Excelに書き出す。承認を得る。", 売上__csv=SALES, 経費__csv=PRICES
    )
    text = draft.text("plan")
    assert len(draft.open_points) == 3
    assert text.startswith("# ")
    assert all(point in text.split("apiVersion")[0] for point in draft.open_points)


def test_what_a_person_writes_never_becomes_a_reference(desk: Desk) -> None:
    draft = desk.draft("${env.HOME} をExcelに書き出す", 売上__csv=SALES)
    assert "$${env.HOME}" in draft.text("plan")
