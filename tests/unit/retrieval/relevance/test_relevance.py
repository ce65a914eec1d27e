"""How probable it is that a passage answers a question."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.documents.model import Position
from sanbo.retrieval.model import Hit
from sanbo.retrieval.relevance import COEFFICIENTS, features, probabilities, relevances
from sanbo.retrieval.relevance.features import FEATURES
from tests.cpu_time import least_seconds
from tests.examples import examples

ALLOWANCES = (
    ("在宅勤務規程", "在宅勤務手当は、一日につき二百円とし、翌月の給与とともに支給する。"),
    ("在宅勤務規程", "在宅勤務を希望する社員は、前週の金曜日までに上長へ申請しなければならない。"),
    ("在宅勤務規程", "在宅勤務中の社員は、始業と終業を勤怠システムに記録する。"),
    ("旅費規程", "国内出張の日当は、役員が三千円、社員が二千円とする。"),
    ("旅費規程", "宿泊料は実費とし、東京都内では一泊一万五千円を上限とする。"),
    ("慶弔規程", "社員が結婚したときは、祝金三万円を贈る。"),
    ("慶弔規程", "創立記念日は2009年に定められ、毎年五月に式典が開かれる。"),
    ("図書室の案内", "図書室は平日の九時から十八時まで利用できる。貸出は五冊までである。"),
)
GUIDES = (
    ("Travel policy", "Employees may claim up to 80 euros per night for hotels in Lyon."),
    ("Travel policy", "Train tickets are booked by the office in first class only for directors."),
    ("Library guide", "The reading room opens at nine and closes at six on working days."),
    ("Library guide", "Each member may borrow twelve volumes for three weeks."),
    ("Garden notes", "The greenhouse was built in 1987 by Marta Oakes, a retired surveyor."),
    ("Garden notes", "Tomatoes are watered in the morning; the pump stands behind the shed."),
)


def pool(texts: tuple[tuple[str, str], ...]) -> list[Hit]:
    return [hit(text, context, at) for at, (context, text) in enumerate(texts)]


def hit(text: str, context: str = "", at: int = 0) -> Hit:
    return Hit(
        chunk_id=f"d{at}.0",
        document_id=f"d{at}",
        document_name=f"{at}.txt",
        format="text",
        text=text,
        context=context,
        position=Position(start=0, end=len(text)),
        score=1.0,
    )


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("在宅勤務手当は一日いくらですか", 0),
        ("在宅勤務はいつまでに申請しますか", 1),
        ("国内出張の日当はいくらですか", 3),
        ("東京都内の宿泊料の上限はいくらですか", 4),
        ("創立記念日はいつ定められましたか", 6),
    ],
)
def test_what_answers_is_relevant_and_the_rest_is_not(question: str, right: int) -> None:
    found = relevances(question, pool(ALLOWANCES))
    assert found.index(max(found)) == right
    assert found[right] >= 0.7
    assert all(other < 0.7 for at, other in enumerate(found) if at != right)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How much may employees claim per night for hotels in Lyon?", 0),
        ("When does the reading room open?", 2),
        ("How many volumes may a member borrow?", 3),
        ("Who built the greenhouse?", 4),
    ],
)
def test_english_works_too(question: str, right: int) -> None:
    found = relevances(question, pool(GUIDES))
    assert found.index(max(found)) == right
    assert found[right] >= 0.7
    assert all(other < 0.7 for at, other in enumerate(found) if at != right)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("社員食堂の昼食代はいくらですか", ALLOWANCES),
        ("育児休業は何歳まで取れますか", ALLOWANCES),
        ("ロンドン支店の所長は誰ですか", ALLOWANCES),
        ("How many parking places does the office in Oslo have?", GUIDES),
        ("What is the name of the chief accountant?", GUIDES),
    ],
)
def test_nothing_is_relevant_where_nothing_answers(
    question: str, texts: tuple[tuple[str, str], ...]
) -> None:
    assert max(relevances(question, pool(texts))) < 0.7


def test_a_passage_under_the_title_that_is_asked_about_beats_the_same_under_another() -> None:
    same = "2015年の人口は約八万人であり、主な産業は漁業と観光である。"
    hits = [hit(same, "青波市", 0), hit(same.replace("八", "三"), "白浜町", 1)]
    found = relevances("青波市の2015年の人口は何人ですか", hits)
    assert found[0] > 0.5 > found[1]


def test_the_engine_does_not_matter() -> None:
    hits = pool(ALLOWANCES)
    question = "国内出張の日当はいくらですか"
    other = [
        each.model_copy(update={"score": 900.0 - at, "signals": {"vector": 0.1}})
        for at, each in enumerate(hits)
    ]
    assert relevances(question, other) == relevances(question, hits)


def test_the_order_does_not_matter() -> None:
    hits = pool(ALLOWANCES)
    question = "宿泊料はいくらまでですか"
    by_chunk = dict(zip([h.chunk_id for h in hits], relevances(question, hits), strict=True))
    random.Random(3).shuffle(hits)
    again = dict(zip([h.chunk_id for h in hits], relevances(question, hits), strict=True))
    assert again == pytest.approx(by_chunk)


def test_the_same_passage_twice_is_as_relevant_as_once() -> None:
    hits = pool(ALLOWANCES)
    question = "図書室は何時から利用できますか"
    once = relevances(question, hits)
    twice = relevances(question, [*hits, hit(hits[7].text, hits[7].context, 99)])
    assert twice[7] == twice[-1]
    assert min(once[7], twice[7]) > 0.7


def test_one_passage_alone_can_be_judged() -> None:
    (right,) = relevances("祝金はいくらですか", pool(ALLOWANCES[5:6]))
    (wrong,) = relevances("社用車の台数は何台ですか", pool(ALLOWANCES[5:6]))
    assert 0 < wrong < 0.3 < right < 1


@pytest.mark.parametrize("question", ["", "  ", "？", "何", "は", "\ud800", "!" * 50])
def test_a_question_that_asks_nothing_finds_nothing_relevant(question: str) -> None:
    assert relevances(question, []) == []
    found = relevances(question, [*pool(ALLOWANCES), hit("")])
    assert all(0 < each < 0.7 for each in found)


@given(st.text(max_size=80), st.lists(st.tuples(st.text(max_size=120), st.text()), max_size=6))
@settings(max_examples=examples(60))
def test_any_text_has_a_relevance(question: str, texts: list[tuple[str, str]]) -> None:
    hits = pool(tuple(texts))
    found = relevances(question, hits)
    assert len(found) == len(hits)
    assert all(0 < each < 1 for each in found)
    assert found == relevances(question, hits)


def test_fifty_passages_are_judged_in_a_moment() -> None:
    random.seed(5)
    said = [text for _, text in ALLOWANCES]
    hits = [hit("".join(random.choices(said, k=17))[:600], f"規程{at}", at) for at in range(50)]
    relevances("準備", hits[:1])

    question = "国内出張の日当はいくらで、いつ支給されますか"
    assert least_seconds(lambda: relevances(question, hits)) < 0.2  # 0.05 where nothing else runs


def test_the_coefficients_say_how_they_came_about() -> None:
    assert COEFFICIENTS.version
    assert set(COEFFICIENTS.ja.weights) == set(COEFFICIENTS.en.weights) == set(FEATURES)
    assert COEFFICIENTS.origin.questions > 1_000
    for figures in COEFFICIENTS.origin.held_out.values():
        assert figures["auroc"] > 0.95
        assert figures["ece"] < 0.03


def test_features_give_the_same_relevance() -> None:
    hits = pool(ALLOWANCES)
    question = "結婚したときの祝金はいくらですか"
    assert probabilities(features(question, hits), COEFFICIENTS.ja) == relevances(question, hits)


def test_english_words_of_about_the_same_meaning_find_the_passage() -> None:
    hits = [
        hit("The room rate is paid up to SGD 230 per night.", "Accommodation", 1),
        hit("The canteen opens at 11:30 on working days.", "Canteen", 2),
        hit("Badges are yellow for contractors.", "Visitors", 3),
    ]
    found = relevances("how much can my hotel cost", hits)
    assert found.index(max(found)) == 0
