"""One file that shows both documents whole, runs nothing but its own script, and calls nobody."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import override

from sanbo.agents.comparison.model import Alignment, Chunk, ComparisonResult, Pair, Side
from sanbo.agents.comparison.outputs.html import Left, side_by_side, with_old_places
from sanbo.documents.model import Position
from sanbo.kernel.messages import Language
from sanbo.reports.letters import printable
from tests.examples import examples
from tests.unit.agents.comparison.outputs.contracts import JAPANESE, contract
from tests.unit.agents.comparison.outputs.written_changes import (
    RELATED,
    Written,
    changes_of,
    document,
    result_of,
)

_VOID = {"meta", "input", "br"}


class _Page(HTMLParser):
    """Reads tags and the text of either column, outside of styles and scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[tuple[str, str]] = []
        self.sides: dict[str, list[str]] = {"old": [], "new": []}
        self.feed(page)
        self.close()

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append((tag, dict(attrs).get("class") or ""))
            for side in self.sides:
                if dict(attrs).get("class") == "text" and self._within(side):
                    self.sides[side].append("")

    @override
    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    @override
    def handle_data(self, data: str) -> None:
        if any(name == "text" for _, name in self.open):
            for side in self.sides:
                if self._within(side):
                    self.sides[side][-1] += data

    def _within(self, side: str) -> bool:
        return any(side in name.split() for _, name in self.open)


def _page(result: ComparisonResult, language: Language = "ja") -> str:
    return side_by_side(result, [], language)


def test_both_documents_can_be_read_whole_in_their_columns() -> None:
    result = contract("ja")
    page = _Page(_page(result))
    changes = sorted(result.changes, key=lambda change: change.order)
    assert page.sides["new"] == [change.new_text for change in changes if change.new]
    moved = [change for change in changes if change.kind in ("moved", "moved_changed")]
    old = [change.old_text for change in changes if change.old]
    # What was moved is shown where it was and beside where it is.
    assert sorted(page.sides["old"]) == sorted([*old, *(change.old_text for change in moved)])


def test_script_and_style_are_the_only_ones_allowed_and_nothing_is_fetched() -> None:
    page = _page(contract("ja"))
    policy = re.search('Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert policy[1].startswith("default-src 'none'; style-src 'sha256-")
    for tag in ("style", "script"):
        (body,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = b64encode(sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy[1]
    assert "http://" not in page
    assert "https://" not in page
    assert "url(" not in page
    assert ' style="' not in page
    assert '<html lang="ja">' in page
    assert '<html lang="en">' in _page(contract("en"), "en")


def test_deleted_words_and_inserted_words_are_marked() -> None:
    page = _page(contract("ja"))
    assert "月額<del>金50万円</del>（消費税別）" in page
    assert "月額<ins>金60万円</ins>（消費税別）" in page


def test_unchanged_stretches_are_folded_and_counted_and_titles_stay() -> None:
    page = _page(contract("ja"))
    assert '<details class="same"><summary>（変更なし 4 段落）</summary>' in page
    assert 'class="row unchanged title"' in page


def test_renumbering_can_be_folded_away_but_not_where_it_is_flagged() -> None:
    result = contract("ja")
    folded = side_by_side(result, [], "ja", fold_renumbered=True)
    assert '<details class="quiet"><summary>' in folded
    assert '<details class="quiet" open><summary>' in _page(result)
    flagged = re.search(r'<div class="row[^>]*data-flags="reference"[^>]*>', folded)
    assert flagged
    assert "data-quiet" not in flagged[0]


def test_same_text_that_refers_to_the_wrong_article_is_a_row_of_its_own() -> None:
    rows = [Written("unchanged", "前条を準用する。", "第５条", "第５条", ("reference",))]
    page = _page(result_of(changes_of(rows)))
    assert 'id="c1"' in page
    assert '<a href="#c1">' in page


def test_list_puts_what_needs_attention_first_and_leads_to_every_change() -> None:
    result = contract("ja")
    page = _Page(_page(result))
    ids = {attributes["id"] for _, attributes in page.tags if attributes.get("id")}
    links = [
        str(attributes["href"])
        for tag, attributes in page.tags
        if tag == "a" and str(attributes["href"]).startswith("#c")
    ]
    assert {link[1:] for link in links} <= ids
    items = [attributes for tag, attributes in page.tags if tag == "li" and "data-n" in attributes]
    assert len(items) == 16
    assert [item.get("class") == "attention" for item in items] == [True] * 8 + [False] * 8


def test_moved_ones_are_also_shown_where_they_were() -> None:
    items = list(with_old_places(changes_of(JAPANESE)))
    starts = [
        item.change.old_places[0].start if isinstance(item, Left) else item.old_places[0].start
        for item in items
        if isinstance(item, Left)
        or (item.old_places and item.kind not in ("moved", "moved_changed"))
    ]
    assert starts == sorted(starts)
    assert sum(isinstance(item, Left) for item in items) == 2


@settings(max_examples=examples(20))
@given(st.text(max_size=40) | st.sampled_from(["</style><script>x</script>", '"><img src=x>', "'"]))
def test_nothing_in_a_document_becomes_markup(text: str) -> None:
    hostile = f"{text}<script>alert(1)</script>\"'><img src=x onerror=y>&amp;"
    change = changes_of([Written("changed", "[[x|y]]", flags=("amount",))])[0]
    change = change.model_copy(
        update={
            "old_text": hostile,
            "new_text": hostile,
            "diff": (),
            "explanation": hostile,
            "old_places": (change.old_places[0].model_copy(update={"label": hostile}),),
        }
    )
    pair = RELATED.model_copy(update={"old": document(hostile), "new": document(hostile)})
    page = _Page(_page(result_of([change], [pair])))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("script") == 1
    assert "img" not in tags
    assert page.sides["new"] == [printable(hostile).replace("\r", "\n")]
    assert page.open == []


def test_headings_are_shown_as_such() -> None:
    chunk = Chunk(id="B0", text="第一章", key="", kind="heading", position=Position(start=0, end=3))
    side = Side(name="新", format="docx", text="第一章", chunks=(chunk,))
    alignment = Alignment(links=(), doubts=(), unlinked={}, similarity=0)
    pair = Pair(old=None, new=side, alignment=alignment)
    page = side_by_side(result_of(changes_of([Written("added", "第一章")])), [pair], "ja")
    assert "row differs added heading" in page


def test_unrelated_and_empty_documents_are_told() -> None:
    pair = RELATED.model_copy(update={"outcome": "unrelated"})
    assert "互いに関係のない文書" in _page(result_of(changes_of([Written("added", "甲")]), [pair]))
    assert "表示する文章がありません。" in _page(result_of([]))


def test_names_that_no_file_can_hold_do_not_break_the_page() -> None:
    pair = RELATED.model_copy(update={"old": document("\udcff\u202e規程.md")})
    page = _page(result_of(changes_of([Written("added", "\ud800")]), [pair]))
    assert "旧：�規程.md" in page
    assert page.encode()


def test_each_pair_has_its_heading() -> None:
    changes = changes_of([Written("changed", "[[一|二]]")], pair=1)
    page = _page(result_of(changes, [RELATED, RELATED]))
    assert "<h2>1. 旧.docx → 新.docx</h2>" in page
    assert "<h2>2. 旧.docx → 新.docx</h2>" in page
