"""The plans that ship: valid, rehearsed, and run to their end with the files beside them."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from sanbo.blocks.contract.catalog import Catalog
from sanbo.plans.dry_running import dry_run
from sanbo.plans.settings import PlanSettings
from sanbo.plans.store import Designs
from sanbo.plans.validating import validate
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from tests.sample_plans import case, expenses
from tests.sample_plans.make_files import FOLDER, files
from tests.workflows.planning import on_bench

PLANS = ("invoice_reconciliation", "monthly_closing", "common/budget_check")
OFFLINE = {"SANBO_LLM__PROVIDER": "rules"}


@pytest.mark.parametrize("plan_id", PLANS)
def test_every_sample_is_valid_and_rehearsed_without_a_finding(plan_id: str) -> None:
    designs = Designs([FOLDER])
    source = designs.source(designs.read(plan_id))
    catalog = Catalog.load(None)
    assert validate(source, catalog, PlanSettings()) == ()
    report = dry_run(source, catalog, PlanSettings())
    assert report.valid
    assert report.findings == ()


def test_the_files_beside_the_plans_are_those_that_the_script_makes_and_small() -> None:
    made = files()
    for name, data in made.items():
        shipped = (FOLDER / name).read_bytes()
        if name.endswith(".csv"):
            assert shipped == data
        else:  # another zlib packs otherwise
            assert abs(len(shipped) - len(data)) < len(data) / 5
    assert sum(len(path.read_bytes()) for path in FOLDER.rglob("*") if path.is_file()) < 300_000


async def _begin(bench: Workbench, plan_id: str) -> Run:
    designs = Designs([FOLDER])
    source = designs.source(designs.read(plan_id)).model_dump(mode="json")
    run = await bench.start(LOCAL, "plan", {"source": source})
    return await bench.wait(LOCAL, run.run_id)


async def _answer(bench: Workbench, run: Run, said: Mapping[str, Any]) -> Run:
    assert run.status is Status.WAITING, run.problem
    await bench.answer(LOCAL, run.run_id, dict(said), run.open_interactions[0].interaction_id)
    return await bench.wait(LOCAL, run.run_id)


async def _files(bench: Workbench, plan_id: str, named: Mapping[str, str]) -> JsonObject:
    given: JsonObject = {}
    for field, name in named.items():
        path = FOLDER / plan_id / name
        file = await bench.upload(LOCAL, path, name, "application/octet-stream")
        given[field] = file.model_dump(mode="json")
    return given


async def _book(bench: Workbench, run: Run, file: Any) -> Any:
    _, data = await bench.artifact(LOCAL, run.run_id, file["file_id"])
    content = data if isinstance(data, bytes) else data.read_bytes()
    return openpyxl.load_workbook(io.BytesIO(content))


def _exports(run: Run) -> dict[str, Any]:
    assert run.status is Status.SUCCEEDED, run.problem
    assert run.result is not None
    exports: Any = run.result["exports"]
    return exports


def test_invoices_are_reconciled_from_zip_and_csv_into_the_workbook(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await _begin(bench, "invoice_reconciliation")
        given = await _files(
            bench,
            "invoice_reconciliation",
            {
                "invoices_zip": "invoices.zip",
                "bank_csv": "bank_statement.csv",
                "workbook": "workbook.xlsx",
            },
        )
        run = await _answer(bench, run, {**given, "month": "2026年5月"})
        run = await _answer(bench, run, {"approved": True, "comment": "確認しました"})
        exports = _exports(run)
        _check_rows(exports["rows"])
        _check_workbook(await _book(bench, run, exports["workbook"]), exports)

    on_bench(load_settings(tmp_path, OFFLINE), work, seconds=90)


def _check_rows(rows: list[dict[str, Any]]) -> None:
    found = {row["請求書番号"]: row for row in rows}
    assert {number: row["請求金額"] for number, row in found.items()} == {
        bill.number: bill.total for bill in case.BILLS
    }
    assert {number: row["支払期限"] for number, row in found.items()} == {
        bill.number: bill.due_iso for bill in case.BILLS
    }
    assert {number: row["請求先"] for number, row in found.items()} == {
        bill.number: bill.customer for bill in case.BILLS
    }
    assert {number[-2:]: row["差異"] for number, row in found.items()} == {
        "01": "",
        "02": "振込手数料の差引き",
        "03": "分割入金",
        "04": "まとめ入金",
        "05": "まとめ入金",
        "06": "期限後の入金",
        "07": "未入金",
        "08": "名義の違い",
    }
    paid = sum(row["入金額"] for row in rows)
    unknown = 34_567
    assert paid + unknown == sum(paid_in for _, _, _, paid_in, _ in case.BANK_ROWS)


def _check_workbook(book: Any, exports: Mapping[str, Any]) -> None:
    cover, results = book["表紙"], book["照合結果"]
    assert book.sheetnames == ["表紙", "照合結果", "未照合の入金", "差異一覧"]
    assert cover["B3"].value == "2026年5月"
    assert cover["B5"].value == "確認しました"
    assert cover["B8"].value == '=COUNTIF(照合結果!F5:F44,"一致")'
    assert [cell.value for cell in results[5]][:6] == [
        "M1",
        "INV-2026-0501",
        "株式会社山田商事",
        results["D5"].value,
        110_000,
        "一致",
    ]
    assert results["D5"].number_format == "yyyy/m/d"
    assert results["D5"].value.date().isoformat() == "2026-05-29"
    assert results["E5"].number_format == "#,##0;[Red]-#,##0"
    assert results["E5"].border.left.style == "thin"
    assert results.freeze_panes == "A5"
    assert len(results.conditional_formatting) == 1
    assert len(results.data_validations.dataValidation) == 1
    unmatched = book["未照合の入金"]
    assert [unmatched.cell(5, column).value for column in (2, 3, 4)] == [
        "ﾀﾅｶ ﾋﾛｼ",
        34_567,
        "請求のない入金",
    ]
    listed = [row[0].value for row in book["差異一覧"].iter_rows(min_row=5) if row[0].value]
    assert listed == [each["差異の種類"] for each in exports["differences"]]
    assert exports["written"]["losses"] == []


def test_a_person_who_says_no_gets_no_workbook(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await _begin(bench, "invoice_reconciliation")
        names = ("invoices_zip", "bank_csv", "workbook")
        given = await _files(
            bench,
            "invoice_reconciliation",
            dict(zip(names, ("invoices.zip", "bank_statement.csv", "workbook.xlsx"), strict=True)),
        )
        run = await _answer(bench, run, given)
        exports = _exports(await _answer(bench, run, {"approved": False}))
        assert exports["workbook"] is None
        assert exports["summary"]["matched_invoices"] == 7

    on_bench(load_settings(tmp_path, OFFLINE), work, seconds=90)


async def _own_files(bench: Workbench, bank: bytes, workbook: bytes) -> JsonObject:
    given = await _files(bench, "invoice_reconciliation", {"invoices_zip": "invoices.zip"})
    for field, name, data in (("bank_csv", "b.csv", bank), ("workbook", "w.xlsx", workbook)):
        file = await bench.upload(LOCAL, data, name, "application/octet-stream")
        given[field] = file.model_dump(mode="json")
    return given


def test_another_banks_headings_are_known_and_a_workbook_is_checked_before_anybody_is_asked(
    tmp_path: Path,
) -> None:
    folder = FOLDER / "invoice_reconciliation"
    bank = (folder / "bank_statement.csv").read_bytes()
    other_bank = bank.replace("取引日,".encode("cp932"), "日付,".encode("cp932"))
    other_book = io.BytesIO()
    openpyxl.Workbook().save(other_book)
    renamed: Any = openpyxl.load_workbook(folder / "workbook.xlsx")
    renamed["差異一覧"]["C4"] = "番号"
    without_heading = io.BytesIO()
    renamed.save(without_heading)

    async def work(bench: Workbench) -> None:
        run = await _begin(bench, "invoice_reconciliation")
        own = await _own_files(bench, other_bank, (folder / "workbook.xlsx").read_bytes())
        run = await _answer(bench, run, own)
        assert run.status is Status.WAITING, run.problem
        run = await _begin(bench, "invoice_reconciliation")
        run = await _answer(bench, run, await _own_files(bench, bank, other_book.getvalue()))
        assert run.problem is not None
        assert "シート「照合結果」がありません" in run.problem.message
        run = await _begin(bench, "invoice_reconciliation")
        run = await _answer(bench, run, await _own_files(bench, bank, without_heading.getvalue()))
        assert run.problem is not None
        assert "シート「差異一覧」に、見出し「請求書番号」" in run.problem.message

    on_bench(load_settings(tmp_path, OFFLINE), work, seconds=90)


def test_a_month_is_closed_once_it_is_approved(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        run = await _begin(bench, "monthly_closing")
        given = await _files(bench, "monthly_closing", {"expenses": "expenses.csv"})
        run = await _answer(bench, run, given)
        run = await _answer(bench, run, {"response": "展示会の出展料が重なったため"})
        run = await _answer(bench, run, {"approved": False, "comment": "摘要を確認"})
        exports = _exports(await _answer(bench, run, {"approved": True, "comment": "可"}))
        totals = {name: 0 for name in expenses.DEPARTMENTS}
        for _, department, _, _, amount in expenses.ROWS:
            totals[department] += amount
        assert {line["部門"]: line["実績"] for line in exports["departments"]} == totals
        assert [line["部門"] for line in exports["over_budget"]] == ["営業部"]
        book = await _book(bench, run, exports["workbook"])
        assert book.sheetnames == ["表紙", "部門別", "明細"]
        assert book["表紙"]["B3"].value == "展示会の出展料が重なったため"
        assert book["明細"].max_row == len(expenses.ROWS) + 1

    on_bench(load_settings(tmp_path, OFFLINE), work, seconds=90)


_OWN_FILE = """申請番号,利用日,部門,金額
K1,2025/04/30,営業一部,"999,000"
K2,2025/05/01,営業一部,"\\22,000"
K3,2025/05/20,営業二部,"132,000"
K4,2025/05/31,総務部,"3,520"
K5,2025/05/31,,"480"
合計,,,"1,157,000"
"""


def test_departments_without_a_budget_and_other_months_are_told(tmp_path: Path) -> None:
    own = tmp_path / "経費精算.csv"
    own.write_bytes(_OWN_FILE.encode("cp932"))

    async def work(bench: Workbench) -> None:
        run = await _begin(bench, "monthly_closing")
        file = await bench.upload(LOCAL, own, own.name, "text/csv")
        given = {"expenses": file.model_dump(mode="json"), "date_column": "利用日"}
        run = await _answer(bench, run, {**given, "month": "2025年5月"})
        context: Any = run.open_interactions[0].context
        departments, total, others, _reason = context.values()
        assert {line["部門"]: (line["実績"], line["予算"]) for line in departments} == {
            "営業部": (0, 300_000),
            "開発部": (0, 450_000),
            "総務部": (3_520, 150_000),
            "営業一部": (22_000, None),
            "営業二部": (132_000, None),
            "（部門なし）": (480, None),
        }
        assert total == [{"計上月": "2025-05", "金額": 158_000, "件数": 4}]
        assert others == [{"計上月": "2025-04", "件数": 1}, {"計上月": None, "件数": 1}]
        exports = _exports(await _answer(bench, run, {"approved": True}))
        book = await _book(bench, run, exports["workbook"])
        assert book["表紙"]["A1"].value == "2025-05 経費一覧"
        assert book["部門別"].max_row == 8  # with headings and the total
        assert book["明細"].max_row == 5

    on_bench(load_settings(tmp_path / "workspace", OFFLINE), work, seconds=90)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"date_column": "計上日"}, "日付の列の見出し「計上日」がありません"),
        ({"month": "2026-05"}, "2026-05の明細が1件もありません"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_before_anything_is_asked(
    said: dict[str, str], told: str, tmp_path: Path
) -> None:
    own = tmp_path / "経費精算.csv"
    own.write_bytes(_OWN_FILE.encode("cp932"))

    async def work(bench: Workbench) -> None:
        run = await _begin(bench, "monthly_closing")
        file = await bench.upload(LOCAL, own, own.name, "text/csv")
        given = {"expenses": file.model_dump(mode="json"), "date_column": "利用日"}
        run = await _answer(bench, run, {**given, "month": "2025-05", **said})
        assert run.problem is not None
        assert told in run.problem.message

    on_bench(load_settings(tmp_path / "workspace", OFFLINE), work, seconds=90)
