"""Collections on the page: words of documents are shown and never act, files are read beside it."""

import re
import threading
from collections.abc import Generator, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest
from typing_extensions import override

from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import Conflict, InvalidInput, NotFound, Unexpected, UnsupportedFormat
from sanbo.runs.model import FileRef
from sanbo.service.access import LOCAL, Caller
from sanbo.service.blocking import BlockingWorkbench, blocking_workbench
from sanbo.service.collections import (
    DocumentInfo,
    Format,
    Hit,
    Outcome,
    Place,
    Position,
    Span,
)
from sanbo.settings import load_settings
from sanbo.ui import connection
from sanbo.ui.collections.hits import card, marked, passage
from sanbo.ui.collections.jobs import Job, Jobs
from sanbo.ui.collections.outcomes import outcome_table
from sanbo.ui.collections.wording import counted, place_of
from tests.examples import spread

TAGS = {"div", "span", "table", "thead", "tbody", "tr", "th", "td", "mark", "p"}


class _Reader(HTMLParser):
    """What a browser makes of it: tags, attributes, the text, and what is marked."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.marks: list[str] = []
        self._marking = False
        self.feed(html)
        self.close()

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._marking = tag == "mark"
        if self._marking:
            self.marks.append("")

    @override
    def handle_endtag(self, tag: str) -> None:
        self._marking = False

    @override
    def handle_data(self, data: str) -> None:
        self.text += data
        if self._marking:
            self.marks[-1] += data

    @override
    def handle_comment(self, data: str) -> None:
        self.tags.add("<!--")

    @override
    def handle_decl(self, decl: str) -> None:
        self.tags.add("<!")


def _solid(text: str) -> str:
    return "".join(text.split())


# ---- passages ----

HOSTILE = '</td><script>alert(1)</script><img src=x onerror="a()"> ![x](https://e.example/a) &amp;'


@given(st.text(alphabet="<>&\"'/=!-abc \t\n漢[](){}", max_size=80), st.data())
def test_nothing_of_a_document_becomes_html_and_nothing_is_lost(
    text: str, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    spans = [Span(start=a, end=b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    seen = _Reader(passage(text, spans))
    assert seen.tags <= TAGS
    assert seen.attributes <= {"class"}
    assert _solid(seen.text) == _solid(text)
    wanted = _solid("".join(text[span.start : span.end] for span in spans))
    assert _solid("".join(seen.marks)) == wanted


def test_spans_that_overlap_or_lie_outside_mark_each_letter_once() -> None:
    spans = [Span(start=0, end=2), Span(start=1, end=3), Span(start=9, end=20)]
    assert marked("あいうえ", spans) == "<mark>あい</mark><mark>う</mark>え"


def test_rows_of_a_table_are_rows_and_other_lines_are_lines() -> None:
    text = "売上\n\n支店\t金額\n大阪\t64,000\n\n以上"
    html = passage(text, [Span(start=10, end=12)])
    assert html.count("<tr>") == 2
    assert "<td><mark>大阪</mark></td><td>64,000</td>" in html
    assert html.startswith('<div class="sanbo-text">売上</div>')
    assert html.endswith('<div class="sanbo-text">以上</div>')


def _hit(text: str = "解約の予告", **given: Any) -> Hit:
    values: dict[str, Any] = {
        "chunk_id": "a.0",
        "document_id": "a",
        "document_name": "契約.pdf",
        "format": "pdf",
        "text": text,
        "position": Position(start=0, end=len(text), page=40, headings=("第1章", "第2条")),
        "score": 1.2,
    }
    return Hit(**(values | given))


def test_card_tells_document_place_and_words_that_were_met() -> None:
    seen = _Reader(card(_hit(highlights=(Span(start=0, end=2),)), best=1.2))
    assert "契約.pdf" in seen.text
    assert "40ページ ・ 第1章 › 第2条" in seen.text
    assert seen.marks == ["解約"]


def test_score_is_no_percentage() -> None:
    seen = _Reader(card(_hit(), best=2.4))
    assert "1.20" in seen.text
    assert not re.search(r"[%％]", seen.text)


def test_card_does_not_say_twice_what_the_passage_says() -> None:
    rows = "品名\t数量\n机\t3"
    position = Position(start=0, end=9, sheet="在庫", row=2, last_row=2, headings=("在庫",))
    hit = _hit(rows, format="xlsx", context="在庫\n品名 数量\n2025年度", position=position)
    seen = _Reader(card(hit, best=1.2))
    assert "シート『在庫』 2行目" in seen.text
    assert seen.text.count("在庫") == 1
    assert seen.text.count("品名") == 1
    assert "2025年度" in seen.text


def test_hostile_names_headings_and_texts_are_only_shown() -> None:
    position = Position(start=0, end=5, sheet=HOSTILE, row=1, headings=(HOSTILE,))
    hit = _hit(
        HOSTILE, document_name=HOSTILE, context=f"{HOSTILE}2", format="xlsx", position=position
    )
    html = card(hit, 1.2) + card(hit, 1.2, _place(HOSTILE, HOSTILE, HOSTILE))
    bad = UnsupportedFormat("file_unknown", name=HOSTILE).problem
    html += outcome_table([Outcome(name=HOSTILE, status="failed", problem=bad, warnings=(bad,))])
    seen = _Reader(html)
    assert seen.tags <= TAGS
    assert seen.attributes <= {"class", "style", "title"}
    assert "<script>alert(1)</script>" in seen.text


def _place(before: str, text: str, after: str) -> Place:
    document = DocumentInfo.model_construct(name="契約.pdf", format="pdf")
    position = Position(start=0, end=1, page=40)
    return Place.model_construct(
        document=document, position=position, before=before, text=text, after=after
    )


def test_surroundings_show_what_comes_before_and_after() -> None:
    hit = _hit(highlights=(Span(start=0, end=2),))
    html = card(hit, 1.2, _place("前の条文", "解約の予告", "後の条文"))
    seen = _Reader(html)
    assert seen.text.index("前の条文") < seen.text.index("解約の予告") < seen.text.index("後の条文")
    assert seen.marks == ["解約"]
    assert "⋯" not in seen.text
    long = _Reader(card(hit, 1.2, _place("前" * 2000, "解約の予告", "後" * 2000)))
    assert long.text.count("⋯") == 2


def test_words_are_not_marked_where_the_text_is_another_by_now() -> None:
    html = card(_hit(highlights=(Span(start=0, end=2),)), 1.2, _place("", "改定後の条文", ""))
    assert _Reader(html).marks == []


# ---- places ----


@pytest.mark.parametrize(
    ("position", "format", "japanese", "english"),
    [
        ({"page": 40}, "pdf", "40ページ", "page 40"),
        ({"page": 4}, "pptx", "スライド4", "slide 4"),
        (
            {"sheet": "売上", "row": 12, "last_row": 18},
            "xlsx",
            "シート『売上』 12–18行",
            "sheet “売上” rows 12–18",
        ),
        ({"row": 3, "last_row": 3}, "csv", "3行目", "row 3"),
        ({"page": 2, "row": 3, "last_row": 5}, "docx", "2ページ", "page 2"),
        ({}, "text", "", ""),
    ],
)
def test_place_is_told_as_people_look_it_up(
    position: dict[str, Any], format: Format, japanese: str, english: str
) -> None:
    where = Position(start=0, end=1, **position)
    assert place_of(where, format) == japanese
    with use_language("en"):
        assert place_of(where, format) == english


@pytest.mark.parametrize(
    ("count", "japanese", "english"),
    [(1, "1箇所", "1 passage"), (2, "2箇所", "2 passages"), (1200, "1,200箇所", "1,200 passages")],
)
def test_one_is_counted_as_one(count: int, japanese: str, english: str) -> None:
    assert counted("chunks", count) == japanese
    with use_language("en"):
        assert counted("chunks", count) == english


# ---- what became of files ----


def test_reasons_are_told_in_the_readers_language_whenever_they_were_recorded() -> None:
    with use_language("en"):
        bad = UnsupportedFormat("file_unknown", name="写真.xyz").problem
    outcomes = [
        Outcome(name="写真.xyz", status="failed", problem=bad),
        Outcome(name="契約.pdf", status="added", pages=3, chunks=12),
    ]
    told = _Reader(outcome_table(outcomes)).text
    assert bad.in_language("ja").message in told
    assert bad.in_language("ja").hint in told
    assert bad.message not in told
    assert "3ページ・12箇所" in told
    with use_language("en"):
        assert bad.hint in _Reader(outcome_table(outcomes)).text


# ---- reading beside the page ----


def _explained(_error: Exception) -> Any:
    return Unexpected("unexpected", kind="ZeroDivisionError", reference="ui-1").problem


def _ran(files: Sequence[str], outcomes: Iterator[Outcome]) -> Job:
    job = Job("契約", files)
    job.run(outcomes, _explained)  # pyright: ignore[reportArgumentType]
    return job


def test_progress_goes_over_files_and_names_the_one_it_is_at() -> None:
    job = Job("契約", ["a.txt", "b.zip", "c.txt"])
    seen: list[tuple[float, str]] = [(job.share, job.current)]

    def outcomes() -> Iterator[Outcome]:
        for name in ("a.txt", "b.zip/1.txt", "b.zip/2.txt", "c.txt"):
            yield Outcome(name=name, status="added")
            seen.append((round(job.share, 2), job.current))

    job.run(outcomes(), _explained)  # pyright: ignore[reportArgumentType]
    assert seen == [
        (0.0, "a.txt"),
        (0.33, "b.zip"),
        (0.33, "b.zip/1.txt"),
        (0.33, "b.zip/2.txt"),
        (1.0, "c.txt"),
    ]
    assert job.is_done


def test_files_with_something_to_say_come_first_and_all_are_counted() -> None:
    bad = UnsupportedFormat("file_empty", name="z.txt").problem

    def outcomes() -> Iterator[Outcome]:
        for number in range(1000):
            yield Outcome(name=f"a.zip/{number}.txt", status="added")
        yield Outcome(name="a.zip/z.txt", status="failed", problem=bad)

    job = _ran(["a.zip"], outcomes())
    assert job.outcomes[0].name == "a.zip/z.txt"
    assert len(job.outcomes) < 1000
    assert job.counts == {"added": 1000, "failed": 1}


@pytest.mark.parametrize(
    ("failure", "text_id"),
    [
        (Conflict("collection_busy", collection="契約"), "collection_busy"),
        (KeyError(), "unexpected"),
    ],
)
def test_what_goes_wrong_on_the_way_is_kept_with_what_was_read(
    failure: Exception, text_id: str
) -> None:
    def outcomes() -> Iterator[Outcome]:
        yield Outcome(name="a.txt", status="added")
        raise failure

    job = _ran(["a.txt", "b.txt"], outcomes())
    assert job.is_done
    assert job.problem is not None
    assert job.problem.text_id == text_id
    assert [outcome.name for outcome in job.outcomes] == ["a.txt"]


def test_stopping_ends_after_the_file_it_is_at_and_closes_what_reads() -> None:
    closed = threading.Event()
    job = Job("契約", ["a.txt", "b.txt"])

    def outcomes() -> Iterator[Outcome]:
        try:
            for number in range(1000):
                job.stop()
                yield Outcome(name=f"{number}.txt", status="added")
        finally:
            closed.set()

    job.run(outcomes(), _explained)  # pyright: ignore[reportArgumentType]
    assert (job.was_stopped, job.is_done, job.is_stopping) == (True, True, False)
    assert job.counts.total() == 1
    assert closed.is_set()


# ---- with real collections ----


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Generator[BlockingWorkbench]:
    workspace = tmp_path_factory.mktemp("collections") / "workspace"
    settings = load_settings(workspace, {"SANBO_LLM__PROVIDER": "rules"})
    with blocking_workbench(settings, ()) as opened:
        connection.provide(opened, requires_token=False)
        yield opened
        connection.withdraw()


@pytest.fixture(scope="module")
def contracts(bench: BlockingWorkbench, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("files") / "総務"
    (folder / "契約").mkdir(parents=True)
    (folder / "契約" / "保守.txt").write_text("解約は3か月前までに予告する。", "utf-8")
    (folder / "名簿.csv").write_text("氏名,部署\n青木,総務\n馬場,営業\n", "cp932")
    list(bench.workbench.collections.index_paths("契約書", [folder]))
    return "契約書"


def _uploaded(bench: BlockingWorkbench, tmp_path: Path, name: str, data: bytes) -> FileRef:
    source = tmp_path / "upload"
    source.write_bytes(data)
    return bench.call(bench.workbench.upload(LOCAL, source, name, "text/plain"))


def _wait_for(job: Job) -> None:
    for _ in range(600):
        if job.is_done:
            return
        threading.Event().wait(0.05)
    pytest.fail("the files were not read")


def test_files_are_read_into_a_new_collection(bench: BlockingWorkbench, tmp_path: Path) -> None:
    files = [
        _uploaded(bench, tmp_path, "規程.txt", "旅費規程".encode()),
        _uploaded(bench, tmp_path, "空.txt", b""),
    ]
    jobs = Jobs()
    collections = bench.workbench.collections
    job = jobs.start(collections, LOCAL, " 社内規程 ", files, _explained)
    _wait_for(job)
    assert job.collection == "社内規程"
    assert jobs.of(LOCAL.owner, "社内規程") is job
    assert jobs.of("somebody", "社内規程") is None
    assert job.counts == {"added": 1, "failed": 1}
    jobs.dismiss(LOCAL.owner, "社内規程")
    assert jobs.of(LOCAL.owner, "社内規程") is None


def test_what_can_not_begin_is_refused_at_once(bench: BlockingWorkbench, tmp_path: Path) -> None:
    file = _uploaded(bench, tmp_path, "規程.txt", "旅費規程".encode())
    collections = bench.workbench.collections
    with pytest.raises(InvalidInput):
        Jobs().start(collections, LOCAL, "a/b", [file], _explained)
    with pytest.raises(NotFound):
        Jobs().start(collections, Caller(owner="baba"), "別", [file], _explained)


def test_one_person_reads_one_batch_into_a_collection_at_a_time(
    bench: BlockingWorkbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def slowly(*_args: object, **_kwargs: object) -> Iterator[Outcome]:
        go_on.wait(20)
        yield Outcome(name="規程.txt", status="added")

    file = _uploaded(bench, tmp_path, "規程.txt", "旅費規程".encode())
    collections, jobs = bench.workbench.collections, Jobs()
    _wait_for(jobs.start(collections, LOCAL, "順番", [file], _explained))
    monkeypatch.setattr(collections, "index_uploads", slowly)
    job = jobs.start(collections, LOCAL, "順番", [file], _explained)
    with pytest.raises(Conflict) as refusal:
        jobs.start(collections, LOCAL, "　順番 ", [file], _explained)
    assert refusal.value.problem.text_id == "collection_indexing"
    go_on.set()
    jobs.stop()
    assert job.is_done


def _search_page() -> None:
    from sanbo.ui import connection  # noqa: PLC0415
    from sanbo.ui.boundary import guarded  # noqa: PLC0415
    from sanbo.ui.collections.searching import draw_search  # noqa: PLC0415

    guarded(draw_search)(connection.bench().workbench.collections.info("契約書"))


def _documents_page() -> None:
    from sanbo.ui import connection  # noqa: PLC0415
    from sanbo.ui.boundary import guarded  # noqa: PLC0415
    from sanbo.ui.collections.documents import draw_documents  # noqa: PLC0415

    guarded(draw_documents)(connection.bench().workbench.collections.info("契約書"))


def _new_collection() -> None:
    from sanbo.ui.boundary import guarded  # noqa: PLC0415
    from sanbo.ui.collections.adding import draw_new_collection  # noqa: PLC0415

    guarded(draw_new_collection)()


def _page(draw: Any, **address: str) -> AppTest:
    page = AppTest.from_function(draw, default_timeout=20)
    for name, value in address.items():
        page.query_params[name] = value
    return page.run()


def _html(page: AppTest) -> str:
    return "".join(str(element.proto.body) for element in page.get("html"))  # pyright: ignore


@pytest.mark.usefixtures("contracts")
def test_search_is_taken_from_the_address() -> None:
    page = _page(_search_page, q="解約の予告")
    assert not page.exception
    assert page.text_input[0].value == "解約の予告"
    assert "総務/契約/保守.txt" in _Reader(_html(page)).text
    assert "解約" in _Reader(_html(page)).marks


@pytest.mark.usefixtures("contracts")
def test_search_is_narrowed_by_folder_and_format() -> None:
    page = _page(_search_page, q="総務 解約", format="CSV")
    assert page.selectbox[0].options == ["総務", "総務/契約"]
    assert "名簿.csv" in _html(page)
    assert "保守.txt" not in _html(page)
    nothing = _page(_search_page, q="総務 解約", folder="ない場所")
    assert "絞り込みを外す" in nothing.info[0].value


@pytest.mark.usefixtures("contracts")
def test_without_words_nothing_is_searched_and_the_page_says_what_to_do() -> None:
    page = _page(_search_page)
    assert "質問の文でも" in page.caption[0].value
    assert _html(page) == ""


@pytest.mark.usefixtures("contracts")
@pytest.mark.parametrize("hits", spread(["9" * 5000, "0", "-1", "", "５"], 2))
def test_a_number_in_the_address_that_makes_no_sense_is_ignored(hits: str) -> None:
    page = _page(_search_page, q="解約 総務", hits=hits)
    assert not page.exception
    assert not page.error
    assert "2件" in page.caption[0].value


def test_of_many_hits_the_best_are_told_as_such(bench: BlockingWorkbench, tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"{number}.txt").write_text(f"稟議書 第{number}号", "utf-8")
    list(bench.workbench.collections.index_paths("稟議", [tmp_path]))
    page = _page(_many_page, q="稟議書")
    assert "上位10件" in page.caption[0].value
    page.button[-1].click().run()
    assert "12件" in page.caption[0].value
    assert "上位" not in page.caption[0].value


def _many_page() -> None:
    from sanbo.ui import connection  # noqa: PLC0415
    from sanbo.ui.boundary import guarded  # noqa: PLC0415
    from sanbo.ui.collections.searching import draw_search  # noqa: PLC0415

    guarded(draw_search)(connection.bench().workbench.collections.info("稟議"))


@pytest.mark.usefixtures("contracts")
def test_button_opens_and_closes_what_stands_around_a_hit() -> None:
    page = _page(_search_page, q="解約の予告", format="TXT")
    assert "sanbo-here" not in _html(page)
    page.button[0].click().run()
    assert "sanbo-here" in _html(page)
    assert page.button[0].label == "前後を閉じる"
    page.button[0].click().run()
    assert "sanbo-here" not in _html(page)


def test_search_that_fails_is_a_problem_and_the_words_stay(
    bench: BlockingWorkbench, contracts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_args: object, **_kwargs: object) -> list[Hit]:
        raise Conflict("collection_busy", collection=contracts)

    monkeypatch.setattr(bench.workbench.collections, "search", fails)
    page = _page(_search_page, q="解約の予告")
    assert "使用中" in page.error[0].value
    assert page.text_input[0].value == "解約の予告"


def test_documents_are_listed_filtered_and_never_by_their_path(
    bench: BlockingWorkbench, contracts: str
) -> None:
    page = _page(_documents_page)
    shown = "".join(element.value for element in page.markdown)
    assert "総務/名簿.csv" in shown
    source = bench.workbench.collections.documents(contracts)[0].source
    assert source.startswith("/")
    assert source not in shown
    some = _page(_documents_page, named="保守")
    assert "名簿" not in "".join(element.value for element in some.markdown)
    none = _page(_documents_page, named="ない名前")
    assert "この名前の文書はありません" in none.info[0].value


@pytest.mark.usefixtures("contracts")
@pytest.mark.parametrize("name", ["契約書", " 契約書　"])
def test_new_collection_of_a_name_that_there_is_is_refused(
    bench: BlockingWorkbench, tmp_path: Path, name: str
) -> None:
    file = _uploaded(bench, tmp_path, "規程.txt", "旅費規程".encode())
    kept = {"name": name, "files": [file.model_dump(mode="json")]}
    page = AppTest.from_function(_new_collection_with, args=(kept,), default_timeout=20).run()
    next(each for each in page.button if each.label == "作成して読み込む").click().run()
    assert "すでにあります" in page.error[0].value
    bench.workbench.drafts.reset(LOCAL.owner, "collections:new::node:input::v1")


def _new_collection_with(kept: dict[str, object]) -> None:
    from sanbo.ui.boundary import guarded  # noqa: PLC0415
    from sanbo.ui.collections import adding  # noqa: PLC0415

    form = adding.new_collection_form()
    if not form.value("name"):
        for name, value in kept.items():
            form.remember(name, value)  # pyright: ignore[reportArgumentType]
    guarded(adding.draw_new_collection)()


@pytest.mark.usefixtures("contracts")
def test_new_collection_needs_a_name_and_files_and_says_so_at_both() -> None:
    page = _page(_new_collection)
    page.button[0].click().run()
    told = page.error[0].value
    assert "コレクション名" in told
    assert "ファイル" in told
    assert not page.exception
