"""What the suite must know of an engine; a new engine joins by adding its bench."""

import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qdrant_client import QdrantClient
from typing_extensions import override

from sanbo.documents.model import Format, Position
from sanbo.retrieval.engines.azure import connect_azure
from sanbo.retrieval.engines.embedded import EmbeddedEngine
from sanbo.retrieval.engines.engine import SearchEngine
from sanbo.retrieval.engines.qdrant import QdrantEngine, connect_qdrant
from sanbo.retrieval.model import IndexedChunk
from tests.azure_search import AzureSearch
from tests.qdrant_server import QdrantServer


@dataclass(frozen=True)
class Bench:
    """`open()` gives an engine over the same collection each time; one at a time is open."""

    open: Callable[[], SearchEngine]
    makes_new: Callable[[str], SearchEngine]
    """An engine over another collection beside it."""


@contextmanager
def _embedded(folder: Path) -> Generator[Bench]:
    yield Bench(
        lambda: EmbeddedEngine(folder / "契約"),
        lambda name: EmbeddedEngine(folder / name),
    )


@contextmanager
def _qdrant_server(folder: Path) -> Generator[Bench]:
    del folder
    with QdrantServer() as server:
        yield Bench(
            lambda: connect_qdrant(server.settings(), "契約"),
            lambda name: connect_qdrant(server.settings(), name),
        )


@contextmanager
def _qdrant_local(folder: Path) -> Generator[Bench]:
    """Qdrant's client without a server, on disk."""
    yield Bench(
        lambda: QdrantEngine(SerialClient(path=str(folder)), "sanbo-contracts"),
        lambda name: QdrantEngine(SerialClient(path=str(folder / name)), "sanbo-contracts"),
    )


@contextmanager
def _azure(folder: Path) -> Generator[Bench]:
    del folder
    with AzureSearch(visible_after=0.02) as azure:
        yield Bench(
            lambda: connect_azure(azure.settings(), "契約"),
            lambda name: connect_azure(azure.settings(), name),
        )


ENGINES = {
    "embedded": _embedded,
    "qdrant": _qdrant_server,
    "qdrant local": _qdrant_local,
    "azure": _azure,
}


class SerialClient(QdrantClient):
    """The client's local mode is for one thread; a server is for many."""

    def __init__(self, **how: Any) -> None:
        self._one_at_a_time = threading.RLock()
        super().__init__(**how)

    @override
    def upsert(self, *args: Any, **how: Any) -> Any:
        with self._one_at_a_time:
            return super().upsert(*args, **how)

    @override
    def delete(self, *args: Any, **how: Any) -> Any:
        with self._one_at_a_time:
            return super().delete(*args, **how)

    @override
    def query_batch_points(self, *args: Any, **how: Any) -> Any:
        with self._one_at_a_time:
            return super().query_batch_points(*args, **how)


def chunk(
    text: str,
    document: str = "d1",
    ordinal: int = 0,
    *,
    version: str = "v1",
    name: str = "契約書.docx",
    format: Format = "docx",
    folders: tuple[str, ...] = (),
    context: str = "",
    metadata: dict[str, str] | None = None,
    position: Position | None = None,
) -> IndexedChunk:
    return IndexedChunk(
        document_id=document,
        version=version,
        ordinal=ordinal,
        document_name=name,
        format=format,
        folders=folders,
        text=text,
        context=context,
        position=position or Position(start=0, end=len(text)),
        metadata=metadata or {},
    )


PASSAGES = (
    "検収は、納品の日から起算して十営業日以内に、甲の定める手続きにより行うものとする。",
    "委託料は、検収が完了した月の翌月末日までに、乙の指定する銀行口座へ振り込んで支払う。",
    "乙は、甲の書面による事前の承諾なしに、業務の全部または一部を第三者に再委託してはならない。",
    "機密情報は、契約の終了後も五年間にわたり、第三者に開示してはならない。",
    "本契約に関する紛争については、東京地方裁判所を第一審の専属的合意管轄裁判所とする。",
    "京都支店の営業時間は、平日の午前九時から午後五時までです。",
    "出張の旅費は、帰着の日から一週間以内に精算してください。宿泊費の上限は一泊一万二千円です。",
    "The supplier shall replace defective parts within thirty days at its own expense.",
)


def passages() -> list[IndexedChunk]:
    return [chunk(text, f"d{number}") for number, text in enumerate(PASSAGES)]


def many(count: int) -> Iterator[IndexedChunk]:
    """Short chunks of several documents, each with a word of its own."""
    words = [
        "契約",
        "納品",
        "検収",
        "支払",
        "期限",
        "東京",
        "見積",
        "部品",
        "保証",
        "期間",
        "延長",
        "交換",
        "返品",
        "担当",
        "承認",
        "予算",
    ]
    for number in range(count):
        some = "、".join(words[(number * step) % len(words)] for step in (1, 3, 5, 7, 11))
        yield chunk(
            f"{some}。管理番号は{_letters(number)}です。", f"d{number // 100}", number % 100
        )


def _letters(number: int) -> str:
    """A code that shares no pair of letters in order with most others: `qfkbz`."""
    letters = "bcdfghjklmnpqrstvwxz"
    return "".join(letters[(number // 20**place + place * 7) % 20] for place in range(5))
