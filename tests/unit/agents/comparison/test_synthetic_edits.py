"""What the benchmark of synthetic edits holds for true is true by construction."""

import random
from itertools import pairwise

import pytest
from benchmarks.comparison.edits import amended
from benchmarks.comparison.gold import Gold, GoldMismatch, Ids, Predicted, gold_of, read_side
from benchmarks.comparison.numerals import from_kanji, to_kanji
from benchmarks.comparison.official_map import linked_targets
from benchmarks.comparison.order import Moves, judged_moves
from benchmarks.comparison.passages import Level, Passage, read_passages, write_passages
from benchmarks.comparison.renumbering import Numbering
from benchmarks.comparison.wording import Wording, rewritten, split_in_two

from sanbo.agents.comparison.model import Side

_TOPICS = ("会議室", "社用車", "検査機器", "来客用駐車場", "書庫", "試作室", "食堂", "更衣室")
_ARTICLE = """\
**第{number}条（{topic}の利用）**　{topic}を利用しようとする者は、前日の正午までに申し込み、\
その管理者の承認を受けなければならない。ただし、{topic}が空いているときは、この限りでない。

**２**　{topic}の管理者は、次に掲げる場合には、前項又は第{before}条の承認を取り消す。

- 一　{topic}の備品を承認なく持ち出したとき、又は壊したままにしたとき

- 二　{topic}を申込みと異なる目的のために他人に使わせたとき"""
_RULES = "\n\n".join(
    _ARTICLE.format(number=to_kanji(number), before=to_kanji(max(number - 1, 1)), topic=topic)
    for number, topic in enumerate(_TOPICS, start=1)
)
_LAW = f"""---
title: "施設利用規程"
---

## 第一章　総則

{_RULES}

## 附則

この規程は、公布の日から施行する。

| 施設 | 定員 |
| --- | --- |
| 会議室 | 十二 |
| 食堂 | 八十 |
"""
_OTHER_LAW = """\
**第一条（図書の貸出し）**　図書の貸出しを受けた職員は、二週間以内に返却しなければならない。

**第二条（閲覧）**　閲覧席では、静かに図書を読み、飲食をしてはならない。
"""


def _amended(seed: str, numbering: Numbering = "keep") -> tuple[list[Passage], list[Passage]]:
    old = read_passages(_LAW)
    foreign = read_passages(_OTHER_LAW)
    return old, amended(old, foreign, seed=seed, rounds=1, numbering=numbering)


def _read(old: list[Passage], new: list[Passage]) -> tuple[Side, Side, Gold]:
    old_side, new_side = read_side(old, "A"), read_side(new, "B")
    return old_side, new_side, gold_of(old, old_side, new, new_side)


def test_a_law_reads_as_it_is_written() -> None:
    passages = read_passages(_LAW)
    assert write_passages(passages) == _LAW
    assert [p.level for p in passages[:4]] == [
        Level.OTHER,
        Level.HEADING,
        Level.ARTICLE,
        Level.PARAGRAPH,
    ]


@pytest.mark.parametrize("numbering", ["keep", "shift", "anew"])
def test_every_pair_of_the_gold_joins_a_passage_with_its_origin(numbering: Numbering) -> None:
    old, new = _amended("pairs", numbering)
    old_side, new_side, gold = _read(old, new)
    old_text = {chunk.id: chunk.text for chunk in old_side.chunks}
    new_text = {chunk.id: chunk.text for chunk in new_side.chunks}
    expected = {
        ("".join(old[origin].visible.split()), "".join(passage.visible.split()))
        for passage in new
        for origin in passage.origins
        if passage.level not in (Level.OTHER, Level.HEADING)
    }
    joined = {
        ("".join(old_text[one].split()), "".join(new_text[two].split())) for one, two in gold.pairs
    }
    assert expected <= joined


def test_every_sort_of_edit_occurs() -> None:
    edits: set[str] = set()
    for seed in range(6):
        _, _, gold = _read(*_amended(str(seed), "shift"))
        edits |= {edit for done in gold.edits.values() for edit in done}
    every = ("insert", "delete", "rewrite", "move", "swap", "split", "merge", "renumber")
    assert edits == set(every)


def test_the_same_seed_makes_the_same_amendment() -> None:
    assert _amended("again") == _amended("again")
    assert _amended("again") != _amended("another")


def test_numbers_after_an_amendment_count_up_and_references_follow() -> None:
    old, new = _amended("numbers", "anew")
    heads = [passage for passage in new if passage.level is Level.ARTICLE]
    numbers = [from_kanji(head.mark.removeprefix("第").removesuffix("条")) for head in heads]
    assert all(two == one + 1 for one, two in pairwise(numbers))
    renamed = {old[head.origins[0]].mark: head.mark for head in heads if head.origins}
    for passage in new:
        if passage.edits <= {"renumber", "swap"} and passage.level is Level.PARAGRAPH:
            named = old[passage.origins[0]].body.partition("又は")[2].partition("の承認")[0]
            assert f"又は{renamed.get(named, named)}の承認" in passage.body


def test_a_gold_that_the_reader_contradicts_is_refused() -> None:
    old = read_passages(_LAW)
    side = read_side(old, "A")
    with pytest.raises(GoldMismatch):
        gold_of(old[:-1], side, old[:-1], side)


def test_a_rewritten_paragraph_keeps_at_least_three_fifths() -> None:
    bodies = [passage.body for passage in read_passages(_LAW) if passage.level is Level.ARTICLE]
    wording = Wording.of(bodies)
    for seed in range(20):
        text = rewritten(bodies[0], wording, random.Random(seed))
        assert text is not None
        assert text != bodies[0]
        assert 0.5 * len(bodies[0]) < len(text) < 1.5 * len(bodies[0])


def test_a_paragraph_is_split_at_the_end_of_a_sentence() -> None:
    body = next(p.body for p in read_passages(_LAW) if p.level is Level.ARTICLE)
    halves = split_in_two(body, random.Random(0))
    assert halves is not None
    assert halves[0].endswith("なければならない。")
    assert halves[1].endswith("ただし、会議室が空いているときは、この限りでない。")


def test_of_two_that_changed_places_either_may_be_called_moved() -> None:
    old = read_passages(_LAW)
    first = [passage for passage in old if 2 <= passage.origins[0] < 6]
    second = [passage for passage in old if 6 <= passage.origins[0] < 10]
    new = [*old[:2], *second, *first, *old[10:]]
    old_side, new_side, gold = _read(old, new)
    origins = {chunk.id: at for at, chunk in enumerate(old_side.chunks)}
    start = next(at for at, chunk in enumerate(old_side.chunks) if "第一条" in chunk.text)
    groups = [
        {ids for ids in gold.pairs if begin <= origins[ids[0]] < begin + 4}
        for begin in (start, start + 4)
    ]

    def judged(moved: set[Ids]) -> Moves:
        said = Predicted(gold.pairs, frozenset(moved))
        return judged_moves(old_side, new_side, gold.pairs, said, set())

    assert [judged(moved) for moved in groups] == [Moves(4, 4, 4, 0)] * 2
    assert judged(set()) == Moves(4, 0, 0, 0)
    in_order = {ids for ids in gold.pairs if origins[ids[0]] >= start + 8}
    assert judged(in_order) == Moves(4, 0, len(in_order), len(in_order))


@pytest.mark.parametrize(
    ("tag", "targets"),
    [
        ("MOVED TO v5.0.0-13.1.1", ["13.1.1"]),
        ("MODIFIED, MOVED TO v5.0.0-6.1.3, SPLIT TO v5.0.0-6.3.4, v5.0.0-6.3.5", None),
        ("DELETED, COVERED BY v5.0.0-8.3.1", ["8.3.1"]),
        ("DELETED, MERGED TO v5.0.0-1.5.2", ["1.5.2"]),
        ("DELETED, DEPRECATED BY v5.0.0-1.5.2", []),
        ("DELETED, NOT IN SCOPE", []),
    ],
)
def test_a_tag_of_the_official_map_names_what_a_requirement_became(
    tag: str, targets: list[str] | None
) -> None:
    found = [target for target, _ in linked_targets(tag)]
    assert found == (["6.1.3", "6.3.4", "6.3.5"] if targets is None else targets)


@pytest.mark.parametrize("number", [1, 10, 11, 20, 38, 100, 111, 399, 1028])
def test_kanji_numbers_come_back(number: int) -> None:
    assert from_kanji(to_kanji(number)) == number
