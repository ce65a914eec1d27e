"""A sentence becomes a plan that asks for its files, reconciles, has it approved and writes."""

import io
import zipfile
from pathlib import Path

import openpyxl
import pytest

from sanbo.plans.designing.workflow import DesignResult
from sanbo.runs.model import JsonObject, Status
from sanbo.service.access import OPERATOR
from sanbo.service.bootstrap import blocking_workbench
from sanbo.service.catalog import DESIGN, PLAN
from sanbo.service.plans import source_of_text, start_input
from sanbo.settings import load_settings

INVOICE = """請求書
請求書番号: {number}
{customer} 御中
ご請求金額 {amount:,} 円
お支払期限: 2026-05-29
"""
INVOICES = (("INV-1", "株式会社青葉商店", 110000), ("INV-2", "若葉工業株式会社", 55000))
PAYMENTS = "取引日,摘要,お預り金額\n2026-05-28,ｶ)ｱｵﾊﾞｼﾖｳﾃﾝ,110000\n2026-05-29,ﾜｶﾊﾞｺｳｷﾞﾖｳ(ｶ,54340\n"
SENTENCES = (
    "請求書のZIPと入金明細CSVを照合して、差異をExcelに書き出し、部長が承認する",
    "Reconcile the ZIP of invoices with the payments CSV, write the differences to Excel, "
    "and have the manager approve.",
)


def _files(folder: Path) -> dict[str, Path]:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, customer, amount in INVOICES:
            text = INVOICE.format(number=number, customer=customer, amount=amount)
            archive.writestr(f"{number}.txt", text)
    made = {".zip": folder / "invoices.zip", ".csv": folder / "payments.csv"}
    made[".zip"].write_bytes(packed.getvalue())
    made[".csv"].write_text(PAYMENTS, "utf-8")
    return made


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("is_approved", [True, False])
def test_invoices_and_payments_are_reconciled_to_the_end(
    tmp_path: Path, sentence: str, *, is_approved: bool
) -> None:
    files = _files(tmp_path)
    settings = load_settings(tmp_path / "workspace", {})
    with blocking_workbench(settings) as bench:
        work = bench.workbench
        run = bench.call(work.start(OPERATOR, DESIGN, {"question": sentence}))
        made = DesignResult.model_validate(bench.call(work.wait(OPERATOR, run.run_id)).result)
        assert made.is_dry_run, made.findings
        given = start_input(source_of_text(settings, made.text))
        run = bench.call(work.start(OPERATOR, PLAN, given))
        run = bench.call(work.wait(OPERATOR, run.run_id))
        (form,) = run.open_interactions
        answer: JsonObject = {}
        for field in form.requirements:
            file = files[field.accept]
            uploaded = bench.call(work.upload(OPERATOR, file, file.name))
            answer[field.id] = uploaded.model_dump(mode="json")
        bench.call(work.answer(OPERATOR, run.run_id, answer, form.interaction_id))
        run = bench.call(work.wait(OPERATOR, run.run_id))
        (approval,) = run.open_interactions
        assert approval.mode == "confirm"
        answer = {"approved": is_approved}
        bench.call(work.answer(OPERATOR, run.run_id, answer, approval.interaction_id))
        run = bench.call(work.wait(OPERATOR, run.run_id))
        assert run.status is Status.SUCCEEDED, run.problem
        books = [one for one in run.artifacts if one.name.endswith(".xlsx")]
        assert bool(books) == is_approved
        for one in books:
            _, content = bench.call(work.artifact(OPERATOR, run.run_id, one.artifact_id))
            data = content if isinstance(content, bytes) else content.read_bytes()
            sheet = openpyxl.load_workbook(io.BytesIO(data)).worksheets[0]
            cells = [cell for row in sheet.values for cell in row]
            assert "INV-2" in cells
            assert -660 in cells
            assert "INV-1" not in cells
