"""Writes the files of the sample plans where they are shipped from."""

import csv
import io
from pathlib import Path

from tests.sample_plans.case import (
    BANK_HEADINGS,
    BANK_ROWS,
    BANK_TITLE,
    BILLS,
    OPENING_BALANCE,
)
from tests.sample_plans.expenses import expenses
from tests.sample_plans.invoices import packed, pdf, xlsx
from tests.sample_plans.workbook import workbook

FOLDER = Path(__file__).parents[2] / "src" / "sanbo" / "service" / "samples" / "plans"


def bank_statement() -> bytes:
    """As banks give it: titles above, CP932, amounts with commas, empty cells for nothing."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    for line in BANK_TITLE:
        writer.writerow([line])
    writer.writerow(BANK_HEADINGS)
    balance = OPENING_BALANCE
    for day, text, paid_out, paid_in, memo in BANK_ROWS:
        balance += paid_in - paid_out
        shown = [f"{each:,}" if each else "" for each in (paid_out, paid_in)]
        writer.writerow([day, text, *shown, f"{balance:,}", memo])
    return out.getvalue().encode("cp932")


def files() -> dict[str, bytes]:
    invoices = {bill.path: pdf(bill) if bill.is_pdf else xlsx(bill) for bill in BILLS}
    return {
        "invoice_reconciliation/invoices.zip": packed(invoices),
        "invoice_reconciliation/bank_statement.csv": bank_statement(),
        "invoice_reconciliation/workbook.xlsx": workbook(),
        "monthly_closing/expenses.csv": expenses(),
    }


def main() -> None:
    for name, data in files().items():
        place = FOLDER / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


if __name__ == "__main__":
    main()
