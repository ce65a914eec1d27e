"""What office papers call things: for each concept its labels, the surest first."""

import re
import unicodedata
from functools import cache
from typing import Literal

from rapidfuzz import fuzz

from sanbo.blocks.ai.shapes import Wanted

Concept = Literal[
    "billed",
    "subtotal",
    "tax",
    "due_date",
    "invoice_date",
    "invoice_number",
    "registration",
    "account",
    "issuer",
    "customer",
    "counterparty",
    "subject",
    "phone",
    "email",
    "postal",
]

LABELS: dict[Concept, tuple[str, ...]] = {
    "billed": (
        "請求金額",
        "請求額",
        "今回請求額",
        "今回請求金額",
        "請求合計",
        "請求合計額",
        "請求合計金額",
        "合計請求額",
        "合計請求金額",
        "支払金額",
        "支払額",
        "支払合計",
        "振込金額",
        "amount due",
        "total due",
        "balance due",
        "total amount due",
        "amount payable",
        "invoice total",
        "invoice amount",
        "billed amount",
        "税込合計",
        "税込合計金額",
        "税込金額",
        "税込総額",
        "合計税込",
        "grand total",
        "total incl tax",
        "total including tax",
        "総合計",
        "総額",
        "請求総額",
        "合計金額",
        "合計額",
        "total amount",
        "合計",
        "total",
        "amount",
    ),
    "subtotal": (
        "小計",
        "税抜合計",
        "税抜金額",
        "税抜額",
        "税抜小計",
        "税抜合計金額",
        "本体価格",
        "本体金額",
        "subtotal",
        "sub total",
        "net amount",
        "net total",
        "amount excl tax",
    ),
    "tax": (
        "消費税額",
        "消費税",
        "消費税等",
        "消費税額等",
        "消費税合計",
        "内消費税",
        "うち消費税",
        "うち消費税額",
        "税額",
        "consumption tax",
        "sales tax",
        "tax amount",
        "vat",
        "tax",
    ),
    "due_date": (
        "支払期限",
        "支払期日",
        "支払い期限",
        "支払い期日",
        "振込期限",
        "振込期日",
        "振込み期限",
        "入金期限",
        "入金期日",
        "支払予定日",
        "支払日",
        "payment due date",
        "due date",
        "payment due",
        "pay by",
        "due",
        "deadline",
    ),
    "invoice_date": (
        "請求日",
        "請求書日付",
        "請求年月日",
        "請求書発行日",
        "発行日",
        "発行年月日",
        "invoice date",
        "date of issue",
        "issue date",
        "date issued",
        "issued on",
        "issued",
        "作成日",
        "日付",
        "date",
    ),
    "invoice_number": (
        "請求書番号",
        "請求番号",
        "請求書no",
        "請求no",
        "伝票番号",
        "伝票no",
        "invoice number",
        "invoice no",
        "invoice id",
        "invoice #",
        "invoice",
        "管理番号",
        "文書番号",
        "番号",
        "no",
    ),
    "registration": (
        "登録番号",
        "適格請求書発行事業者登録番号",
        "適格請求書発行事業者番号",
        "事業者登録番号",
        "インボイス登録番号",
        "インボイス番号",
        "registration number",
        "registration no",
        "tax registration number",
    ),
    "account": ("口座番号", "振込先口座番号", "口座no", "account number", "account no"),
    "issuer": (
        "請求元",
        "請求者",
        "発行元",
        "発行者",
        "請求元名",
        "請求元会社名",
        "発行会社",
        "仕入先",
        "仕入先名",
        "支払先",
        "支払先名",
        "業者名",
        "販売者",
        "vendor",
        "vendor name",
        "supplier",
        "supplier name",
        "seller",
        "issuer",
        "issued by",
        "from",
    ),
    "customer": (
        "請求先",
        "請求先名",
        "宛先",
        "宛名",
        "顧客名",
        "顧客",
        "客様名",
        "得意先",
        "得意先名",
        "買主",
        "customer",
        "customer name",
        "bill to",
        "billed to",
        "buyer",
        "client",
        "to",
    ),
    # Either side, as the reader stands; both told where both are there.
    "counterparty": ("取引先", "取引先名", "取引先会社名", "会社名", "company", "company name"),
    "subject": ("件名", "案件名", "工事名", "subject", "re"),
    "phone": ("電話番号", "電話", "tel", "phone", "phone number", "telephone"),
    "email": ("メールアドレス", "メール", "e-mail", "email", "mail"),
    "postal": ("郵便番号", "postal code", "zip code"),
}

_POLITE = re.compile(r"(?:^|(?<=[一-龠]))(?:御|お|ご)(?=[一-龠])")
_AROUND = re.compile(r"[\s:：・\-_/■□◆◇●○◎▼▽【】\[\]〔〕<>《》*#.．、,]+")
_BRACKETED = re.compile(r"[(（〔\[][^()（）〔〕\[\]]{0,20}[)）〕\]]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
CLOSE = 92
SHORTEST_FUZZY = 4


@cache
def label_form(text: str) -> str:
    """A label as it is compared: `ご 請 求 金 額（税込）：` and `請求金額` are one."""
    said = unicodedata.normalize("NFKC", _CAMEL.sub(" ", text))
    said = _BRACKETED.sub("", said).casefold().strip()
    if said.isascii():
        return " ".join(_AROUND.sub(" ", said).split()) or said
    said = _AROUND.sub("", said)
    return _POLITE.sub("", said)


def concept_of(wanted: Wanted) -> Concept | None:
    """What a field is about, by its name, or else by its description."""
    name = label_form(wanted.name)
    forms = _forms()
    if name in forms:
        return forms[name]
    if len(name) >= SHORTEST_FUZZY:
        best = max(forms, key=lambda each: fuzz.ratio(name, each))
        if fuzz.ratio(name, best) >= CLOSE:
            return forms[best]
    said = label_form(wanted.description)
    return forms.get(said)


@cache
def _forms() -> dict[str, Concept]:
    return {label_form(label): concept for concept, labels in LABELS.items() for label in labels}


@cache
def every_label() -> frozenset[str]:
    """Of all concepts, in label form."""
    return frozenset(_forms())


def labels_of(wanted: Wanted) -> list[str]:
    """In label form, the surest first: the field's own name, then what else it is called."""
    concept = concept_of(wanted)
    known = LABELS[concept] if concept else ()
    named = (wanted.name, *known, wanted.description)
    return list(dict.fromkeys(form for form in map(label_form, named) if form))
