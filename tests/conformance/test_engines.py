"""Every engine keeps and finds chunks alike."""

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest
from typing_extensions import override

from sanbo.documents.model import Position
from sanbo.kernel.problems import TimedOut
from sanbo.retrieval.engines.engine import SearchEngine
from sanbo.retrieval.model import Filter, IndexedChunk
from tests.conformance.engines import (
    ENGINES,
    PASSAGES,
    Concepts,
    Open,
    chunk,
    code,
    many,
    passages,
)

ALL = Filter()
HOSTILE = (
    "' or 1 eq 1 or document_id ne '",
    "O'Brien & Söhne 「株」|;,~^",
    "a') or search.ismatch('*', 'text') or (document_id eq 'a",
    '"; DROP TABLE chunks; -- {"$ne": null}',
    "../../etc/passwd\x00\x1f\r\n\t",
    'metadata.key[0]."x" \\ %27 +-&|!(){}[]^"~*?:',
    "𠮷野家👨‍👩‍👧 e\u0301 ａｂｃ ｶﾞ",
    "=key=value=",
    "<script>alert(1)</script>",
)
_numbers = itertools.count(1)


@pytest.fixture(scope="module", params=list(ENGINES))
def opening(request: pytest.FixtureRequest) -> Iterator[Open]:
    with ENGINES[request.param]() as found:
        yield found


@pytest.fixture
def name() -> str:
    return f"契約 {next(_numbers)}"


@pytest.fixture
def engine(opening: Open, name: str) -> Iterator[SearchEngine]:
    """Over a collection of its own, in which nothing is."""
    opened = opening(name)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def filled(opening: Open) -> Iterator[SearchEngine]:
    """With the passages in it; for tests that change nothing."""
    opened = opening("passages")
    added(opened, passages())
    yield opened
    opened.close()


def added(engine: SearchEngine, chunks: list[IndexedChunk]) -> None:
    engine.add(chunks)
    engine.flush()


def texts(engine: SearchEngine, query: str, limit: int = 10, where: Filter = ALL) -> list[str]:
    return [found.chunk.text for found in engine.search(query, limit, where)]


def documents(engine: SearchEngine, query: str, where: Filter = ALL) -> set[str]:
    return {found.chunk.document_id for found in engine.search(query, 50, where)}


def test_a_question_finds_its_passage(filled: SearchEngine) -> None:
    assert texts(filled, "検収は何営業日以内に行いますか")[0] == PASSAGES[0]
    assert texts(filled, "旅費の精算はいつまで")[0] == PASSAGES[6]
    assert texts(filled, "Who replaces defective parts?")[0] == PASSAGES[7]


@pytest.mark.parametrize("number", range(len(PASSAGES)))
def test_a_phrase_finds_its_own_chunk_first(filled: SearchEngine, number: int) -> None:
    best, *rest = filled.search(PASSAGES[number][8:28], 10, ALL)
    assert best.chunk.text == PASSAGES[number]
    assert all(best.score > other.score for other in rest)


def test_the_best_come_first_with_their_signals(filled: SearchEngine) -> None:
    found = filled.search("第三者への開示と再委託", 10, ALL)
    scores = [candidate.score for candidate in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert all(candidate.signals for candidate in found)


@pytest.mark.parametrize(
    "query", ["", "   ", "　\n\t", "、。！？", "…― -- () \"' * ~", "\ud800", "_", "\x00"]
)
def test_a_query_without_words_finds_nothing(filled: SearchEngine, query: str) -> None:
    assert filled.search(query, 10, ALL) == []


@pytest.mark.parametrize(
    "query",
    [
        '検収 -納品 +"第三者" (a OR b) 検* 収~2 /検.*/',
        "検収\ud800の手続き",
        "検収\x00\x1f",
        "検収" * 3_000,
        "検収 AND NOT 納品: {} [] ^2 \\",
        "検収' or 1 eq 1",
    ],
)
def test_a_query_is_words_whatever_stands_in_it(filled: SearchEngine, query: str) -> None:
    assert texts(filled, query, 3)[0] in (PASSAGES[0], PASSAGES[1], PASSAGES[2])


def test_a_minus_takes_nothing_away(filled: SearchEngine) -> None:
    assert documents(filled, "検収 -納品") == documents(filled, "検収 納品")


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("型番はＡＢＣ－１２３です。", "abc"),
        ("型番はxyz-123です。", "ＸＹＺ"),
        ("ｻｰﾊﾞｰの保守契約", "サーバー"),
        ("プリンターの保守契約", "ﾌﾟﾘﾝﾀｰ"),
        ("見積金額は㈱山田に確認します。", "(株)山田"),
        ("③番目の項目を参照。", "3番目"),
    ],
)
def test_widths_and_cases_do_not_matter(opening: Open, name: str, stored: str, asked: str) -> None:
    engine = opening("widths")
    added(engine, [chunk(stored, name)])
    assert texts(engine, asked)[0] == stored
    engine.close()


def test_headings_are_searched_too_but_are_not_the_text(engine: SearchEngine) -> None:
    added(engine, [chunk("十日以内とする。", context="納期遅延の取り扱い"), *passages()[2:]])
    [best, *_] = engine.search("納期遅延", 3, ALL)
    assert (best.chunk.text, best.chunk.context) == ("十日以内とする。", "納期遅延の取り扱い")


def test_a_candidate_carries_every_field_unchanged(engine: SearchEngine) -> None:
    rich = chunk(
        "　全角の空白、\tタブと\r\n改行、ＡＢＣ、👨‍👩‍👧、𠮷、e\u0301、null 0 のまま。 ",
        "8f2c-文書/ä",
        17,
        version="sha256:0f3a…",
        name="資料/2025年度 'ä' \"見積\".xlsx",
        format="xlsx",
        folders=("営業", "営業/2025", "営業/2025/第1四半期 (案)"),
        context="見出し 1 › 見出し 2\n列A\t列B",
        metadata={"部署": "営業", "a=b": "c", "a": "b=c", "空": "", "k.w[0]": "\\ ' \""},
        position=Position(
            start=120,
            end=4096,
            page=3,
            sheet="4月'集計",
            row=12,
            last_row=40,
            headings=("第1章", "1.1　目的", ""),
        ),
    )
    poor = chunk("最小限の断片です。", "poor")
    added(engine, [rich, poor])
    assert [found.chunk for found in engine.search("全角の空白とタブ", 1, ALL)] == [rich]
    assert [found.chunk for found in engine.search("最小限の断片", 1, ALL)] == [poor]


def test_adding_twice_is_adding_once(engine: SearchEngine) -> None:
    added(engine, passages())
    added(engine, passages())
    found = [candidate.chunk.document_id for candidate in engine.search("検収", 50, ALL)]
    assert len(found) == len(set(found))


def test_removing_a_version_leaves_the_others(engine: SearchEngine) -> None:
    old = [chunk(f"旧版の検収条項 {n}", "d1", n, version="v1") for n in range(3)]
    new = [chunk(f"新版の検収条項 {n}", "d1", n, version="v2") for n in range(3)]
    other = chunk("別の文書の検収条項", "d2", version="v1")
    added(engine, [*old, *new, other])
    assert len(engine.search("検収条項", 20, ALL)) == 7
    engine.remove("d1", "v1")
    engine.flush()
    assert set(texts(engine, "検収条項", 20)) == {c.text for c in [*new, other]}


def test_what_was_just_added_can_be_removed(engine: SearchEngine) -> None:
    engine.add(passages())
    engine.remove("d0", "v1")
    engine.flush()
    assert documents(engine, "検収は納品の日から") & {"d0", "d1"} == {"d1"}


def test_removing_what_is_not_there_is_no_error(engine: SearchEngine) -> None:
    engine.remove("d1", "v1")
    added(engine, passages())
    engine.remove("d1", "v9")
    engine.remove("unknown", "v1")
    engine.flush()
    assert "d1" in documents(engine, "委託料")


def test_filters_narrow(engine: SearchEngine) -> None:
    contracts, law = ("契約", "契約/2024"), {"部署": "法務"}
    added(
        engine,
        [
            chunk("契約の文章 1", "a", folders=contracts, format="pdf", metadata={"部署": "営業"}),
            chunk("契約の文章 2", "b", folders=("契約", "契約/2025"), metadata=law),
            chunk(
                "契約の文章 3", "c", folders=("規程",), format="pdf", metadata={**law, "年": "5"}
            ),
            chunk("契約の文章 4", "d", format="xlsx"),
        ],
    )
    many_documents = ("b", *(f"文書,{number}|'x'" for number in range(2_000)))
    for where, expected in (
        (Filter(), "abcd"),
        (Filter(documents=("a",)), "a"),
        (Filter(documents=("a", "d", "zz")), "ad"),
        (Filter(documents=many_documents), "b"),
        (Filter(folders=("契約",)), "ab"),
        (Filter(folders=("契約/2025", "規程")), "bc"),
        (Filter(folders=("契",)), ""),
        (Filter(formats=("pdf",)), "ac"),
        (Filter(formats=("pdf", "xlsx")), "acd"),
        (Filter(metadata={"部署": "法務"}), "bc"),
        (Filter(metadata={"部署": "法務", "年": "5"}), "c"),
        (Filter(metadata={"部署": "総務"}), ""),
        (Filter(metadata={"なし": "x"}), ""),
        (Filter(folders=("契約",), formats=("pdf",)), "a"),
        (Filter(documents=("a", "b", "c"), folders=("契約",), metadata=law), "b"),
        (Filter(documents=("a",), formats=("xlsx",)), ""),
    ):
        assert documents(engine, "契約の文章", where) == set(expected), where


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_values_stay_values(opening: Open, hostile: str) -> None:
    engine = opening("hostile")
    mine = chunk(
        f"検収の文章 {hostile}",
        f"id {hostile}",
        version=f"v {hostile}",
        name=f"名前 {hostile}",
        folders=(f"f {hostile}",),
        metadata={f"k {hostile}": f"v {hostile}"},
    )
    other = chunk("検収の別の文章", "other", folders=("f",), metadata={"k": "v"})
    added(engine, [mine, other])
    for where in (
        Filter(documents=(mine.document_id,)),
        Filter(documents=(mine.document_id, "zz", "")),
        Filter(folders=mine.folders),
        Filter(folders=(*mine.folders, "zz")),
        Filter(metadata=mine.metadata),
        Filter(documents=(mine.document_id,), folders=mine.folders, metadata=mine.metadata),
    ):
        assert [c.chunk for c in engine.search("検収", 10, where)] == [mine], where
    for where in (
        Filter(documents=(hostile,)),
        Filter(folders=(hostile, "")),
        Filter(metadata={"k": hostile}),
        Filter(metadata={hostile: "v"}),
    ):
        assert engine.search("検収", 10, where) == [], where
    engine.remove(hostile, hostile)
    engine.remove(mine.document_id, "v1")
    engine.flush()
    assert len(engine.search("検収", 10, ALL)) == 2
    engine.remove(mine.document_id, mine.version)
    engine.flush()
    assert [c.chunk for c in engine.search("検収", 10, ALL)] == [other]
    engine.close()


def test_metadata_with_equal_signs_is_told_apart(engine: SearchEngine) -> None:
    added(
        engine,
        [
            chunk("検収一", "one", metadata={"a": "b=c"}),
            chunk("検収二", "two", metadata={"a=b": "c"}),
        ],
    )
    assert documents(engine, "検収", Filter(metadata={"a": "b=c"})) == {"one"}
    assert documents(engine, "検収", Filter(metadata={"a=b": "c"})) == {"two"}


def test_long_metadata_is_kept_and_can_be_filtered_by(engine: SearchEngine) -> None:
    long = "長い題名" * 12_000
    added(engine, [chunk("検収", "one", metadata={"題": long}), chunk("検収", "two")])
    [found] = engine.search("検収", 5, Filter(metadata={"題": long}))
    assert found.chunk.metadata == {"題": long}
    assert engine.search("検収", 5, Filter(metadata={"題": long + "。"})) == []


def test_the_limit_is_kept(engine: SearchEngine) -> None:
    added(engine, [chunk(f"同じような契約の文章 {n}", f"d{n}") for n in range(30)])
    found = [len(engine.search("契約の文章", limit, ALL)) for limit in (0, 1, 7, 25, 100)]
    assert found == [0, 1, 7, 25, 30]


def test_a_collection_that_is_not_there_is_empty(engine: SearchEngine) -> None:
    assert engine.search("検収", 10, ALL) == []
    engine.add([])
    engine.flush()
    engine.settle()
    engine.drop()
    assert engine.search("検収", 10, ALL) == []


def test_what_was_flushed_is_there_after_reopening(opening: Open, name: str) -> None:
    first = opening(name)
    added(first, passages())
    first.close()
    second = opening(name)
    assert texts(second, PASSAGES[0][:15])[0] == PASSAGES[0]
    second.remove("d0", "v1")
    second.flush()
    second.close()
    third = opening(name)
    assert "d0" not in documents(third, PASSAGES[0])
    third.close()


def test_a_dropped_collection_is_empty_and_can_be_filled_again(opening: Open, name: str) -> None:
    engine = opening(name)
    added(engine, passages())
    engine.drop()
    assert engine.search("検収", 10, ALL) == []
    engine.remove("d0", "v1")
    engine.drop()
    added(engine, [chunk("新しい検収の文章", "n")])
    assert texts(engine, "検収") == ["新しい検収の文章"]
    engine.drop()
    engine.close()
    again = opening(name)
    assert again.search("検収", 10, ALL) == []
    again.close()


def test_collections_do_not_see_each_other(engine: SearchEngine, opening: Open) -> None:
    other = opening("規程")
    added(engine, passages())
    added(other, [chunk("別のコレクションの検収", "x")])
    assert texts(other, "検収") == ["別のコレクションの検収"]
    assert "x" not in documents(engine, "検収")
    other.drop()
    assert documents(engine, "検収")
    other.close()


@pytest.mark.thorough
def test_three_thousand_chunks(engine: SearchEngine) -> None:
    chunks = list(many(3_000))
    engine.add(chunks)
    engine.settle()
    engine.flush()
    for number in (0, 1_234, 2_999):
        [best] = engine.search(f"管理番号 {code(number)}", 1, ALL)
        assert best.chunk == chunks[number]
    assert len(engine.search("管理番号", 200, ALL)) == 200
    engine.remove("d12", "v1")
    engine.flush()
    assert documents(engine, "管理番号", Filter(documents=("d12", "d13"))) == {"d13"}


def test_searches_go_on_while_others_add(engine: SearchEngine) -> None:
    added(engine, passages())
    failures: list[BaseException] = []
    stop = threading.Event()

    def guarded(work: Callable[[], None]) -> threading.Thread:
        def run() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - the test reports it
                failures.append(error)

        return threading.Thread(target=run)

    def search() -> None:
        while not stop.is_set():
            assert texts(engine, PASSAGES[3][:20], 3)[0] == PASSAGES[3]

    def add(document: str) -> None:
        for number in range(0, 80, 10):
            ordinals = range(number, number + 10)
            engine.add([chunk(f"追加の文章 {n}", document, n) for n in ordinals])
        engine.flush()

    searching = [guarded(search) for _ in range(3)]
    adding = [guarded(lambda: add("w0")), guarded(lambda: add("w1"))]
    for thread in (*searching, *adding):
        thread.start()
    for thread in adding:
        thread.join()
    stop.set()
    for thread in searching:
        thread.join()
    engine.flush()
    assert failures == []
    for document in ("w0", "w1"):
        assert len(engine.search("追加の文章", 500, Filter(documents=(document,)))) == 80


def test_a_chunk_without_words_does_no_harm(engine: SearchEngine) -> None:
    added(engine, [chunk("――――", "dashes"), chunk("", "empty"), *passages()])
    assert texts(engine, PASSAGES[0][:15])[0] == PASSAGES[0]
    engine.remove("dashes", "v1")
    engine.remove("empty", "v1")


def test_meaning_finds_what_words_do_not(opening: Open, name: str) -> None:
    by_words, by_meaning = opening(f"{name} 語"), opening(name, Concepts())
    stored = [
        chunk("社用の自動車は総務部が管理する。", "car"),
        chunk("誕生月に休みを取得できる。", "leave"),
        chunk("賃金は毎月二十五日に支払う。", "pay"),
    ]
    added(by_words, stored)
    added(by_meaning, stored)
    assert texts(by_words, "ヌポヌポ") == []
    for question, document in (("ヌポヌポ", "car"), ("休暇", "leave"), ("給与", "pay")):
        assert by_meaning.search(question, 3, ALL)[0].chunk.document_id == document
    assert documents(by_meaning, "クルマ", Filter(documents=("pay",))) == {"pay"}
    assert by_meaning.search("！？", 3, ALL) == []
    by_meaning.close()
    again = opening(name, Concepts())
    assert again.search("車両", 1, ALL)[0].chunk == stored[0]
    again.close()
    by_words.close()


def test_an_embedding_model_that_fails_is_named(opening: Open, name: str) -> None:
    class Failing(Concepts):
        @override
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            raise TimedOut("llm_timed_out", provider="openai", model=self.model, seconds=1)

    engine = opening(name, Failing())
    with pytest.raises(TimedOut) as caught:
        engine.add(passages())
    assert "concepts-1" in caught.value.problem.message
    engine.close()
