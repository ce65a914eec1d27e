"""Passages as an office has them, made by hand."""

from sanbo.documents.model import Format, Position
from sanbo.evidence.model import Passage, SearchedQuery, View


def passage(
    text: str,
    relevance: float = 0.9,
    *,
    nth: int = 1,
    document: str = "就業規則.docx",
    fmt: Format = "docx",
    context: str = "",
    headings: tuple[str, ...] = (),
    relevances: tuple[float, ...] = (),
    page: int | None = None,
    sheet: str | None = None,
    rows: tuple[int, int] | None = None,
) -> Passage:
    first, last = rows or (None, None)
    return Passage(
        id=f"P{nth}",
        chunk_id=f"c{nth}",
        document_id=document,
        document=document,
        format=fmt,
        position=Position(
            start=0,
            end=len(text),
            page=page,
            sheet=sheet,
            row=first,
            last_row=last,
            headings=headings,
        ),
        text=text,
        context=context,
        score=1.0,
        relevance=max(relevances, default=relevance),
        relevances=relevances or (relevance,),
        cycle=1,
    )


def view(
    question: str,
    *passages: Passage,
    sub_questions: tuple[str, ...] = (),
    asked: tuple[str, ...] = (),
    chunks: int | None = 100,
    min_docs: int = 1,
) -> View:
    return View(
        question=question,
        sub_questions=sub_questions or (question,),
        passages=passages,
        queries=tuple(SearchedQuery(text=text, cycle=1, hits=3, new=3) for text in asked),
        cycle=1,
        collection_chunks=chunks,
        min_docs_count=min_docs,
    )


LEAVE = (
    "第12条（年次有給休暇）\n\n"
    "会社は、6か月間継続して勤務し、全労働日の8割以上を出勤した従業員に対して、10日の年次有給休暇を与える。"
    "従業員は、年次有給休暇を取得しようとするときは、3営業日前までに所属長に申請しなければならない。"
    "ただし、病気その他やむを得ない事由があるときは、この限りでない。"
)
TRAVEL = (
    "第5条（日当）\n\n"
    "国内出張の日当は、1日につき2,500円とする。"
    "日帰りの場合は、その半額とする。\n"
    "旅費の精算は、出張が終わった日から7日以内に行うものとする。"
)
FAQ = """\
Q. 経費の精算はいつまでにすればよいですか。
A. 使った月の翌月5日までに、申請画面から出してください。"""
MINUTES = (
    "第3回 業務改善会議 議事録\n\n"
    "・在宅勤務の対象は、全部署に広げることとした。\n"
    "・試行の開始は10月1日とする。\n"
    "・備品の貸与は総務部が担当する"
)
POLICY = (
    "Expense Policy\n\n"
    "Employees must submit expense claims within 30 days of the end of the trip. "
    "Claims above 50,000 yen, e.g. for flights, need the approval of a director. "
    "Mr. Sato in Finance answers questions about this policy."
)
PRICES = """\
品名\t単価\t納期
コピー用紙A4\t480円\t翌日
封筒 長形3号\t1,250円\t3日
トナー 黒\t9,800円\t5日"""
