"""What the suite must know of an engine; a new engine joins by adding its bench."""

import os
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from sanbo.documents.model import Format, Position
from sanbo.retrieval.embedding import Embedder
from sanbo.retrieval.engines import embedded
from sanbo.retrieval.engines.azure import connect_azure
from sanbo.retrieval.engines.embedded import EmbeddedEngine, Shards
from sanbo.retrieval.engines.engine import SearchEngine
from sanbo.retrieval.engines.qdrant import connect_qdrant
from sanbo.retrieval.model import IndexedChunk
from tests.azure_search import AzureSearch
from tests.qdrant_server import QdrantServer


class Open(Protocol):
    """An engine over the collection of this name; the same collection each time."""

    def __call__(self, name: str, embedder: Embedder | None = None) -> SearchEngine: ...


class Concepts:
    """An embedding model that knows four things under all their names."""

    model = "concepts-1"
    size = 4
    _NAMES = (
        ("自動車", "車両", "クルマ", "ヌポヌポ"),
        ("休暇", "休み"),
        ("給与", "賃金"),
        ("医師", "ドクター"),
    )

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [
            [0.01 + sum(text.count(name) for name in names) for names in self._NAMES]
            for text in texts
        ]


@contextmanager
def _embedded() -> Generator[Open]:
    # In memory where there is such a place: what is tested is the engine, not this machine's disk.
    memory = Path("/dev/shm")
    place = memory if os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="sanbo-engines-", dir=place) as folder:

        def opened(name: str, embedder: Embedder | None = None) -> SearchEngine:
            return EmbeddedEngine(Path(folder) / name, embedder=embedder)

        yield opened


@contextmanager
def _embedded_in_a_server() -> Generator[Open]:
    """The index is in a process beside this one."""
    shards = Shards()
    embedded.provide(shards)
    try:
        with _embedded() as opened:
            yield opened
            shards.close()
    finally:
        embedded.withdraw()


@contextmanager
def _qdrant() -> Generator[Open]:
    with QdrantServer() as server:

        def opened(name: str, embedder: Embedder | None = None) -> SearchEngine:
            return connect_qdrant(server.settings(), name, embedder)

        yield opened


@contextmanager
def _azure() -> Generator[Open]:
    with AzureSearch(visible_after=0.02) as azure:

        def opened(name: str, embedder: Embedder | None = None) -> SearchEngine:
            return connect_azure(azure.settings(), name, embedder)

        yield opened


ENGINES = {
    "embedded": _embedded,
    "embedded in a server": _embedded_in_a_server,
    "qdrant": _qdrant,
    "azure": _azure,
}


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
    """Short chunks of several documents, each with a code of its own."""
    words = ("契約", "納品", "検収", "支払", "期限", "東京", "見積", "部品", "保証", "期間", "延長")
    for number in range(count):
        some = "、".join(words[(number * step) % len(words)] for step in (1, 3, 5, 7))
        text = f"{some}。管理番号は{code(number)}です。"
        yield chunk(text, f"d{number // 100}", number % 100)


def code(number: int) -> str:
    """Unlike its neighbours': `qfkbz`."""
    letters = "bcdfghjklmnpqrstvwxz"
    return "".join(letters[(number // 20**place + place * 7) % 20] for place in range(5))
