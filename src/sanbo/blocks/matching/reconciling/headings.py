"""How invoices, ledgers and banks head their columns; the surest words first."""

from collections.abc import Mapping

HEADINGS: Mapping[str, Mapping[str, str]] = {
    "invoices": {
        "amount": """
            請求金額 ご請求金額 御請求金額 請求額 ご請求額 御請求額 今回請求額 税込請求額 税込金額
            税込合計 合計金額 請求合計 合計 総額 売掛金額 金額 invoice_amount amount total
        """,
        "date": """
            支払期限 お支払期限 支払期日 お支払期日 支払予定日 入金予定日 入金期日 期限 期日
            due_date duedate due
        """,
        "issued": "請求日 発行日 請求書発行日 請求年月日 invoice_date issued date 日付",
        "name": """
            請求先 請求先名 請求先会社名 取引先 取引先名 得意先 得意先名 顧客 顧客名 宛先 宛名
            会社名 社名 名称 customer customer_name bill_to company name
        """,
        "id": """
            請求書番号 請求番号 請求書no 請求書no. 請求no 伝票番号 管理番号
            invoice_no invoice_number invoice_id invoice no no. 番号 id
        """,
    },
    "payments": {
        "amount": """
            入金額 入金金額 お預り金額 お預かり金額 お預入金額 お預入額 預入金額 預り金額 ご入金額
            預入 入金 振込金額 受入金額 deposit payment_amount amount 金額
        """,
        "date": """
            入金日 取引日 お取引日 取扱日 振込日 勘定日 起算日 年月日 日付 操作日
            payment_date transaction_date date
        """,
        "name": """
            振込依頼人 振込依頼人名 振込人 振込名義 振込名義人 依頼人 依頼人名 入金者 支払人
            相手先 取引先 取引先名 摘要 お取引内容 取引内容 内容 payer name description
        """,
        "id": """
            入金番号 取引番号 明細番号 照会番号 整理番号 payment_id transaction_id id no no. 番号
        """,
        "memo": "備考 メモ 摘要 edi情報 通信欄 取引内容 memo note reference",
    },
}
# A heading that holds one of these is another amount, though it also says 金額.
OTHERS: Mapping[str, tuple[str, ...]] = {
    "invoices": ("入金", "残高", "消費税", "税抜", "単価", "手数料"),
    "payments": ("支払", "出金", "引出", "払出", "残高", "手数料", "withdrawal", "balance"),
}
