"""A small handbook that was read and cut as a collection does, and what a research found in it."""

from collections.abc import Sequence

from sanbo.agents.research.report import ReportWriter
from sanbo.agents.research.report_layout import Ending, Style
from sanbo.documents.chunks import chunk
from sanbo.documents.extract import extract
from sanbo.documents.model import Document, Position, Source
from sanbo.evidence.model import Part, Passage, Quoted, SearchedQuery, Section, View
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import NotFound
from sanbo.retrieval.catalogue import KeptDocument

LEAVE = "社員は、入社から６か月勤務したとき、年次有給休暇を10日取得できる。"
CARRIED = "使わなかった年次有給休暇は、翌年度に限り\n繰り越すことができる。"
OLD_RULE = "年次有給休暇の付与日数は、入社した年は12日とする。"
HANDBOOK = f"# 就業規則\n\n## 第4章 休暇\n\n{LEAVE}\n\n{CARRIED}\n"
OLD_HANDBOOK = f"# 旧就業規則\n\n{OLD_RULE}\n"
QUESTION = "有給休暇は何日もらえて、繰り越せますか。"
SUB_QUESTIONS = ("有給休暇は何日もらえますか。", "有給休暇は繰り越せますか。")


class KeptTexts:
    """The documents of a collection; without any, an index that others make."""

    def __init__(self, *documents: Document) -> None:
        self.documents = {document.name: document for document in documents}
        self.reads: list[str] = []

    def read(self, document_id: str) -> KeptDocument | None:
        if not self.documents:
            return None
        self.reads.append(document_id)
        document = self.documents.get(document_id)
        if document is None:
            raise NotFound("document_unknown", document=document_id, collection="規程")
        cuts = tuple(piece.cut for piece in chunk(document))
        return KeptDocument(document=document, cuts=cuts)


def document(name: str, text: str) -> Document:
    return extract(Source(name=name, data=text.encode()))


def passages_of(document: Document, first: int = 1) -> list[Passage]:
    """Its chunks, as if a search had found all of them."""
    return [
        passage(
            f"P{first + piece.ordinal}",
            piece.text,
            document=document.name,
            chunk_id=f"{document.name}.{piece.ordinal}",
            position=piece.position,
            context=piece.context,
        )
        for piece in chunk(document)
    ]


def passage(
    id: str,
    text: str,
    *,
    document: str = "規程.md",
    chunk_id: str = "",
    position: Position | None = None,
    context: str = "",
    relevance: float = 0.9,
    relevances: tuple[float, ...] = (),
) -> Passage:
    return Passage(
        id=id,
        chunk_id=chunk_id or f"{document}.{id}",
        document_id=document,
        document=document,
        format="markdown",
        position=position or Position(start=0, end=len(text)),
        text=text,
        context=context,
        score=3.0,
        relevance=relevance,
        relevances=relevances,
        cycle=1,
    )


def view_of(passages: Sequence[Passage], **others: object) -> View:
    given: dict[str, object] = {
        "question": QUESTION,
        "sub_questions": SUB_QUESTIONS,
        "passages": tuple(passages),
        "queries": (SearchedQuery(text="有給休暇 日数", cycle=1, hits=3, new=3),),
        "cycle": 1,
    }
    return View.model_validate(given | others)


HANDBOOK_READ = document("就業規則.md", HANDBOOK)
OLD_READ = document("旧規則.md", OLD_HANDBOOK)
FOUND = [*passages_of(HANDBOOK_READ), *passages_of(OLD_READ, first=8)]
TEXTS = KeptTexts(HANDBOOK_READ, OLD_READ)


def writer(
    view: View | None = None,
    *,
    language: Language = "ja",
    style: Style = "markdown",
    texts: KeptTexts = TEXTS,
    collection: str = "社内規程",
) -> ReportWriter:
    return ReportWriter(
        view or view_of(FOUND), language=language, style=style, collection=collection, texts=texts
    )


def part(
    text: str, *quotes: tuple[str, str], section: Section = "finding", sub_question: int = 0
) -> Part:
    quoted = tuple(Quoted(passage=passage, quote=quote) for passage, quote in quotes)
    return Part(section=section, sub_question=sub_question, text=text, quotes=quoted)


def passage_with(words: str) -> str:
    """The id of the passage that says this."""
    return next(each.id for each in FOUND if words in each.text)


ENDED = Ending(stop_reason="sufficient")
