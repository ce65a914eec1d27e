"""The case of the sample: invoices of one month, and what came in at the bank."""

from dataclasses import dataclass

ISSUER = "株式会社あおばシステムサービス"


@dataclass(frozen=True)
class Line:
    item: str
    quantity: int
    price: int

    @property
    def amount(self) -> int:
        return self.quantity * self.price


@dataclass(frozen=True)
class Bill:
    number: str
    customer: str
    folder: str
    issued: str
    due: str
    """As the customer reads it: offices write days in many ways."""
    due_iso: str
    lines: tuple[Line, ...]
    is_pdf: bool

    @property
    def subtotal(self) -> int:
        return sum(line.amount for line in self.lines)

    @property
    def tax(self) -> int:
        return self.subtotal // 10

    @property
    def total(self) -> int:
        return self.subtotal + self.tax

    @property
    def path(self) -> str:
        ending = "pdf" if self.is_pdf else "xlsx"
        return f"{self.folder}/請求書_{self.number}.{ending}"


BILLS = (
    Bill(
        "INV-2026-0501",
        "株式会社山田商事",
        "山田商事",
        "2026年4月30日",
        "2026年5月29日",
        "2026-05-29",
        (Line("業務システム保守（4月分）", 1, 80_000), Line("帳票の追加", 2, 10_000)),
        True,
    ),
    Bill(
        "INV-2026-0502",
        "東都精密工業株式会社",
        "東都精密工業",
        "2026年4月30日",
        "令和8年5月29日",
        "2026-05-29",
        (Line("在庫管理システム改修", 1, 300_000),),
        True,
    ),
    Bill(
        "INV-2026-0503",
        "有限会社みどり文具",
        "みどり文具",
        "2026/4/30",
        "2026/5/29",
        "2026-05-29",
        (Line("販売管理システム導入支援", 4, 45_000), Line("操作研修", 2, 10_000)),
        False,
    ),
    Bill(
        "INV-2026-0504",
        "北斗フーズ株式会社",
        "北斗フーズ",
        "2026年4月30日",
        "2026年5月29日",
        "2026-05-29",
        (Line("受発注サイト保守（4月分）", 1, 48_000),),
        True,
    ),
    Bill(
        "INV-2026-0505",
        "北斗フーズ株式会社",
        "北斗フーズ",
        "2026/4/30",
        "2026/5/29",
        "2026-05-29",
        (Line("POSレジ連携 調査", 3, 22_000),),
        False,
    ),
    Bill(
        "INV-2026-0506",
        "合同会社グリーンリーフ企画",
        "グリーンリーフ企画",
        "2026年4月20日",
        "2026年5月15日",
        "2026-05-15",
        (Line("ウェブサイト更新（4月分）", 1, 80_000),),
        True,
    ),
    Bill(
        "INV-2026-0507",
        "医療法人社団青空会",
        "青空会",
        "2026/4/30",
        "2026/5/29",
        "2026-05-29",
        (Line("予約システム利用料（4月分）", 1, 90_000), Line("端末設定", 5, 4_000)),
        False,
    ),
    Bill(
        "INV-2026-0508",
        "株式会社サクラデザイン事務所",
        "サクラデザイン事務所",
        "2026年4月30日",
        "2026年5月29日",
        "2026-05-29",
        (Line("勤怠システム保守（4月分）", 1, 65_000),),
        True,
    ),
)

BANK_TITLE = ("口座入出金明細", "普通 1234567 カ）アオバシステムサービス", "2026/05/01～2026/06/05")
BANK_HEADINGS = ("取引日", "摘要", "お支払金額", "お預り金額", "差引残高", "メモ")
OPENING_BALANCE = 1_250_000
# Day, text, paid out, paid in, memo.
BANK_ROWS: tuple[tuple[str, str, int, int, str], ...] = (
    ("2026/05/07", "ｺｳｻﾞﾌﾘｶｴ ﾃﾞﾝｷﾘﾖｳｷﾝ", 38_420, 0, ""),
    ("2026/05/20", "振込 ﾕ)ﾐﾄﾞﾘﾌﾞﾝｸﾞ", 0, 100_000, ""),
    ("2026/05/25", "振込 ﾄﾞ)ｸﾞﾘ-ﾝﾘ-ﾌｷｶｸ", 0, 88_000, ""),
    ("2026/05/25", "ｷﾕｳﾖ", 860_000, 0, "給与振込"),
    ("2026/05/27", "振込 ﾕ)ﾐﾄﾞﾘﾌﾞﾝｸﾞ", 0, 120_000, ""),
    ("2026/05/28", "振込 ﾄｳﾄｾｲﾐﾂｺｳｷﾞﾖｳ(ｶ", 0, 329_340, ""),
    ("2026/05/29", "振込 ｶ)ﾔﾏﾀﾞｼﾖｳｼﾞ", 0, 110_000, ""),
    ("2026/05/29", "振込 ﾎｸﾄﾌ-ｽﾞ(ｶ", 0, 125_400, ""),
    ("2026/05/29", "振込 ｻｸﾗﾃﾞｻﾞｲﾝ(ｶ", 0, 71_500, ""),
    ("2026/06/01", "振込 ﾀﾅｶ ﾋﾛｼ", 0, 34_567, ""),
    ("2026/06/05", "ﾌﾘｺﾐﾃｽｳﾘﾖｳ", 660, 0, ""),
)
