"""Every engine keeps and finds chunks alike."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sanbo.documents.model import Position
from sanbo.retrieval.engines.engine import SearchEngine
from sanbo.retrieval.model import Filter, IndexedChunk
from tests.conformance.engines import ENGINES, PASSAGES, Bench, chunk, many, passages

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")
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
    "",
)


@pytest.fixture(params=list(ENGINES))
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with ENGINES[request.param](tmp_path) as found:
        yield found


@pytest.fixture
def engine(bench: Bench) -> Iterator[SearchEngine]:
    opened = bench.open()
    yield opened
    opened.close()


def added(engine: SearchEngine, chunks: list[IndexedChunk]) -> None:
    engine.add(chunks)
    engine.flush()


def texts(engine: SearchEngine, query: str, limit: int = 10, where: Filter = ALL) -> list[str]:
    return [found.chunk.text for found in engine.search(query, limit, where)]


def documents(engine: SearchEngine, query: str, where: Filter = ALL) -> set[str]:
    return {found.chunk.document_id for found in engine.search(query, 50, where)}


def test_what_was_added_is_found(engine: SearchEngine) -> None:
    added(engine, passages())
    assert texts(engine, "検収の期限はいつまでですか")[0] == PASSAGES[0]
    assert texts(engine, "旅費の精算")[0] == PASSAGES[6]


@pytest.mark.parametrize("number", range(len(PASSAGES)))
def test_a_phrase_finds_its_own_chunk_first(bench: Bench, number: int) -> None:
    engine = bench.open()
    added(engine, passages())
    phrase = PASSAGES[number][8:28]
    best, *rest = engine.search(phrase, 10, ALL)
    assert best.chunk.text == PASSAGES[number]
    assert all(best.score > other.score for other in rest)
    engine.close()


def test_the_best_come_first_with_their_signals(engine: SearchEngine) -> None:
    added(engine, passages())
    found = engine.search("第三者への開示と再委託", 10, ALL)
    scores = [candidate.score for candidate in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert all(candidate.signals for candidate in found)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("型番はＡＢＣ－１２３です。", "abc"),
        ("型番はabc-123です。", "ＡＢＣ"),
        ("ｻｰﾊﾞｰの保守契約", "サーバー"),
        ("サーバーの保守契約", "ｻｰﾊﾞｰ"),
        ("見積金額は㈱山田に確認します。", "(株)山田"),
        ("㍿は表記ゆれです。①番目の項目。", "1番目"),
    ],
)
def test_widths_and_cases_do_not_matter(engine: SearchEngine, stored: str, asked: str) -> None:
    added(engine, [chunk(stored, "right"), chunk("関係のない文章をここに置きます。", "wrong")])
    assert texts(engine, asked)[0] == stored


def test_headings_are_searched_too_but_are_not_the_text(engine: SearchEngine) -> None:
    added(engine, [chunk("十日以内とする。", context="納期遅延の取り扱い"), *passages()[2:]])
    [best, *_] = engine.search("納期遅延", 3, ALL)
    assert (best.chunk.text, best.chunk.context) == ("十日以内とする。", "納期遅延の取り扱い")


def test_a_candidate_carries_every_field_unchanged(engine: SearchEngine) -> None:
    original = chunk(
        "　全角の空白、\tタブと\r\n改行、ＡＢＣ、👨‍👩‍👧、𠮷、e\u0301、null 0 のまま。 ",
        "8f2c-文書/ä",
        17,
        version="sha256:0f3a…",
        name="資料/2025年度 'ä' \"見積\".xlsx",
        format="xlsx",
        folders=("営業", "営業/2025", "営業/2025/第1四半期 (案)"),
        context="見出し 1 › 見出し 2\n列A\t列B",
        metadata={
            "部署": "営業第一部",
            "a=b": "c",
            "a": "b=c",
            "空": "",
            "key.with[dots]": "\\ ' \"",
        },
        position=Position(
            start=120,
            end=4096,
            page=3,
            sheet="4月'集計",
            row=12,
            headings=("第1章", "1.1　目的", ""),
        ),
    )
    added(engine, [original, *passages()])
    [found] = [c for c in engine.search("全角の空白とタブ", 20, ALL) if c.chunk.ordinal == 17]
    assert found.chunk == original


def test_empty_fields_come_back_empty(engine: SearchEngine) -> None:
    original = chunk("最小限の断片です。", position=Position(start=0, end=9))
    added(engine, [original])
    assert [c.chunk for c in engine.search("最小限", 5, ALL)] == [original]


def test_adding_twice_is_adding_once(engine: SearchEngine) -> None:
    added(engine, passages())
    added(engine, passages())
    found = engine.search("検収", 50, ALL)
    assert len(found) == len({c.chunk.document_id for c in found})
    engine.add([chunk("書き換えた検収の文章", "d0")])
    engine.flush()
    assert texts(engine, "検収", where=Filter(documents=("d0",))) == ["書き換えた検収の文章"]


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
    assert "d0" not in documents(engine, "検収は納品の日から")


def test_removing_what_is_not_there_is_no_error(engine: SearchEngine) -> None:
    engine.remove("d1", "v1")
    added(engine, passages())
    engine.remove("d1", "v9")
    engine.remove("unknown", "v1")
    engine.flush()
    assert documents(engine, "委託料") >= {"d1"}


FILTERED = [
    chunk(
        "契約の文章 1", "a", folders=("契約", "契約/2024"), format="pdf", metadata={"部署": "営業"}
    ),
    chunk(
        "契約の文章 2", "b", folders=("契約", "契約/2025"), format="docx", metadata={"部署": "法務"}
    ),
    chunk(
        "契約の文章 3",
        "c",
        folders=("規程",),
        format="pdf",
        metadata={"部署": "法務", "年": "2025"},
    ),
    chunk("契約の文章 4", "d", format="xlsx"),
]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Filter(), "abcd"),
        (Filter(documents=("a",)), "a"),
        (Filter(documents=("a", "d", "zz")), "ad"),
        (Filter(folders=("契約",)), "ab"),
        (Filter(folders=("契約/2025", "規程")), "bc"),
        (Filter(folders=("契",)), ""),
        (Filter(formats=("pdf",)), "ac"),
        (Filter(formats=("pdf", "xlsx")), "acd"),
        (Filter(metadata={"部署": "法務"}), "bc"),
        (Filter(metadata={"部署": "法務", "年": "2025"}), "c"),
        (Filter(metadata={"部署": "総務"}), ""),
        (Filter(metadata={"なし": "x"}), ""),
        (Filter(folders=("契約",), formats=("pdf",)), "a"),
        (Filter(documents=("a", "b", "c"), folders=("契約",), metadata={"部署": "法務"}), "b"),
        (Filter(documents=("a",), formats=("xlsx",)), ""),
    ],
)
def test_filters_narrow(bench: Bench, where: Filter, expected: str) -> None:
    engine = bench.open()
    added(engine, FILTERED)
    assert documents(engine, "契約の文章", where) == set(expected)
    engine.close()


def test_a_filter_of_many_documents_is_taken(engine: SearchEngine) -> None:
    added(engine, FILTERED)
    wanted = ("b", *(f"文書,{number}|'x'" for number in range(2_000)))
    assert documents(engine, "契約の文章", Filter(documents=wanted)) == {"b"}


def test_the_limit_is_kept(engine: SearchEngine) -> None:
    added(engine, [chunk(f"同じような契約の文章 {n}", f"d{n}") for n in range(30)])
    assert [len(engine.search("契約の文章", limit, ALL)) for limit in (0, 1, 7, 25, 100)] == [
        0,
        1,
        7,
        25,
        30,
    ]


@pytest.mark.parametrize(
    "query", ["", "   ", "　\n\t", "、。！？", "…― -- () \"' * ~", "\ud800", "_"]
)
def test_a_query_without_words_finds_nothing(engine: SearchEngine, query: str) -> None:
    added(engine, passages())
    assert engine.search(query, 10, ALL) == []


@pytest.mark.parametrize(
    "query",
    [
        '検収 -納品 +"第三者" (a OR b) 検* 収~2 /検.*/',
        "検収\ud800の期限",
        "検収\x00\x1f",
        "検収" * 3_000,
        "検収 AND NOT 納品: {} [] ^2 \\",
    ],
)
def test_a_query_is_words_whatever_stands_in_it(engine: SearchEngine, query: str) -> None:
    added(engine, passages())
    found = texts(engine, query, 3)
    assert found[0] in (PASSAGES[0], PASSAGES[1])
    assert PASSAGES[5] not in found[:1]


def test_a_minus_takes_nothing_away(engine: SearchEngine) -> None:
    added(engine, passages())
    assert documents(engine, "検収 -納品") <= documents(engine, "検収 納品")


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_values_stay_values(bench: Bench, hostile: str) -> None:
    engine = bench.open()
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
        Filter(documents=(mine.document_id, "zz")),
        Filter(folders=mine.folders),
        Filter(folders=(*mine.folders, "zz")),
        Filter(metadata=mine.metadata),
        Filter(documents=(mine.document_id,), folders=mine.folders, metadata=mine.metadata),
    ):
        assert [c.chunk for c in engine.search("検収", 10, where)] == [mine], where
    for where in (
        Filter(documents=(hostile or "'",)),
        Filter(folders=(hostile or "'",)),
        Filter(metadata={"k": hostile or "'"}),
        Filter(metadata={hostile or "'": "v"}),
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
    one = chunk("検収一", "one", metadata={"a": "b=c"})
    two = chunk("検収二", "two", metadata={"a=b": "c"})
    added(engine, [one, two])
    assert documents(engine, "検収", Filter(metadata={"a": "b=c"})) == {"one"}
    assert documents(engine, "検収", Filter(metadata={"a=b": "c"})) == {"two"}


def test_long_metadata_is_kept_and_can_be_filtered_by(engine: SearchEngine) -> None:
    long = "長い題名" * 12_000
    added(engine, [chunk("検収", "one", metadata={"題": long}), chunk("検収", "two")])
    [found] = engine.search("検収", 5, Filter(metadata={"題": long}))
    assert found.chunk.metadata == {"題": long}
    assert engine.search("検収", 5, Filter(metadata={"題": long + "。"})) == []


def test_a_collection_that_is_not_there_is_empty(engine: SearchEngine) -> None:
    assert engine.search("検収", 10, ALL) == []
    engine.flush()
    engine.settle()
    engine.drop()


def test_what_was_flushed_is_there_after_reopening(bench: Bench) -> None:
    first = bench.open()
    added(first, passages())
    first.close()
    second = bench.open()
    assert texts(second, "検収の期限")[0] == PASSAGES[0]
    second.remove("d0", "v1")
    second.flush()
    second.close()
    third = bench.open()
    assert "d0" not in documents(third, "検収の期限")
    third.close()


def test_a_dropped_collection_is_empty_and_can_be_filled_again(bench: Bench) -> None:
    engine = bench.open()
    added(engine, passages())
    engine.drop()
    assert engine.search("検収", 10, ALL) == []
    engine.remove("d0", "v1")
    engine.drop()
    added(engine, [chunk("新しい検収の文章", "n")])
    assert texts(engine, "検収") == ["新しい検収の文章"]
    engine.drop()
    engine.close()
    again = bench.open()
    assert again.search("検収", 10, ALL) == []
    again.close()


def test_collections_do_not_see_each_other(bench: Bench) -> None:
    engine = bench.open()
    other = bench.makes_new("規程")
    added(engine, passages())
    added(other, [chunk("別のコレクションの検収", "x")])
    assert texts(other, "検収") == ["別のコレクションの検収"]
    assert "x" not in documents(engine, "検収")
    other.drop()
    assert documents(engine, "検収")
    other.close()
    engine.close()


def test_three_thousand_chunks(engine: SearchEngine) -> None:
    chunks = list(many(3_000))
    engine.add(chunks)
    engine.settle()
    engine.flush()
    for number in (0, 1_234, 2_999):
        code = chunks[number].text.split("管理番号は")[1].removesuffix("です。")
        [best] = engine.search(f"管理番号 {code}", 1, ALL)
        assert best.chunk == chunks[number]
    assert len(engine.search("管理番号", 200, ALL)) == 200
    engine.remove("d12", "v1")
    engine.flush()
    assert documents(engine, "管理番号", Filter(documents=("d12", "d13"))) == {"d13"}


def test_searches_go_on_while_others_add(engine: SearchEngine) -> None:
    added(engine, passages())
    failures: list[BaseException] = []
    stop = threading.Event()

    def guarded(work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - reported by the test
                failures.append(error)

        return run

    def search() -> None:
        while not stop.is_set():
            assert texts(engine, PASSAGES[3][:20], 3)[0] == PASSAGES[3]

    def add(which: int) -> None:
        for number in range(8):
            engine.add(
                [
                    chunk(f"追加の文章 {which} {number} {n}", f"w{which}", number * 10 + n)
                    for n in range(10)
                ]
            )
        engine.flush()

    searching = [threading.Thread(target=guarded(search)) for _ in range(3)]
    adding = [threading.Thread(target=guarded(lambda which=which: add(which))) for which in (0, 1)]
    for thread in (*searching, *adding):
        thread.start()
    for thread in adding:
        thread.join()
    stop.set()
    for thread in searching:
        thread.join()
    assert failures == []
    assert len(engine.search("追加の文章", 500, Filter(documents=("w0",)))) == 80
    assert len(engine.search("追加の文章", 500, Filter(documents=("w1",)))) == 80


def test_adding_nothing_is_nothing(engine: SearchEngine) -> None:
    engine.add([])
    engine.flush()
    assert engine.search("検収", 10, ALL) == []


def test_a_chunk_without_words_does_no_harm(engine: SearchEngine) -> None:
    added(engine, [chunk("――――", "dashes"), chunk("", "empty"), *passages()])
    assert texts(engine, "検収の期限")[0] == PASSAGES[0]
    engine.remove("dashes", "v1")
    engine.remove("empty", "v1")
