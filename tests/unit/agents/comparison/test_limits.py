"""What is too large to be compared is refused before time and memory run out."""

import pytest

from sanbo.agents.comparison import given as what_is_given
from sanbo.agents.comparison.given import ReadDocument
from sanbo.agents.comparison.preparation import prepare
from sanbo.documents.formats.text import read
from sanbo.documents.model import Source
from sanbo.kernel.problems import Code, LimitExceeded


def given(*texts: str) -> list[ReadDocument]:
    return [
        ReadDocument(document=read(Source(name=f"{number}.txt", data=text.encode())))
        for number, text in enumerate(texts)
    ]


def test_too_many_paragraphs_are_refused_with_their_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(what_is_given, "MOST_CHUNKS", 3)
    small, large = given("一つ。\n\n二つ。"), given("一つ。\n\n二つ。\n\n三つ。\n\n四つ。")
    assert prepare(small, small).pairs
    with pytest.raises(LimitExceeded, match="旧文書が大きすぎて"):
        prepare(large, small)
    with pytest.raises(LimitExceeded, match="新文書が大きすぎて") as refused:
        prepare(small, large)
    assert refused.value.problem.code is Code.RESOURCE_LIMIT
    assert "3" in refused.value.problem.message


def test_all_documents_of_a_folder_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(what_is_given, "MOST_CHUNKS", 3)
    folder = given("一つ。\n\n二つ。", "三つ。\n\n四つ。")
    with pytest.raises(LimitExceeded):
        prepare(given("一つ。"), folder)


def test_a_text_that_becomes_many_chunks_counts_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(what_is_given, "MOST_CHUNKS", 3)
    with pytest.raises(LimitExceeded):
        prepare(given("一つ。"), given("長い文です。" * 20_000))


@pytest.mark.parametrize("limit", ["MOST_CHARACTERS", "LONGEST_DOCUMENT"])
def test_too_many_characters_are_refused(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(what_is_given, limit, 100)
    with pytest.raises(LimitExceeded):
        prepare(given("あ" * 101), given("あ"))
