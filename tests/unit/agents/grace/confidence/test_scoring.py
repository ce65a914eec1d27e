import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.grace.confidence import FITTED, Judged, Scorer
from sanbo.agents.grace.confidence.features import FEATURES
from sanbo.agents.grace.rules_thinking import extract
from sanbo.agents.grace.schemas import Confidence, ThresholdsUsed
from sanbo.agents.grace.settings import GraceSettings
from sanbo.evidence.model import Passage
from sanbo.kernel.messages import Language
from tests.examples import examples
from tests.unit.evidence.rules.passages import LEAVE, PRICES, TRAVEL, passage

USED = ThresholdsUsed(silent=0.9, notify=0.7, confirm=0.4)
DAILY = "国内出張の日当はいくらですか"
METHODS = ("calibrated", "weighted")
FOUND = (
    passage(TRAVEL, 0.95, nth=1, document="旅費規程.docx"),
    passage(LEAVE, 0.05, nth=2),
    passage(PRICES, 0.05, nth=3, document="価格表.xlsx"),
)


def scorer(method: str = "calibrated", language: Language = "ja") -> Scorer:
    return Scorer(GraceSettings.model_validate({"score": method}), USED, FITTED, language)


def judged(question: str, passages: tuple[Passage, ...]) -> Judged:
    parts = [part for part in extract(question, passages, "ja").parts if part.section == "finding"]
    return Judged(
        sentences=tuple(part.text for part in parts),
        passages=tuple(quoted.passage for part in parts for quoted in part.quotes),
    )


def answered(
    question: str, passages: tuple[Passage, ...], method: str = "calibrated"
) -> Confidence:
    return scorer(method).answer(question, passages, judged(question, passages))


@pytest.mark.parametrize("method", METHODS)
def test_a_good_answer_scores_higher_than_a_guess(method: str) -> None:
    far = tuple(each.model_copy(update={"relevance": 0.05}) for each in FOUND)
    good = answered(DAILY, FOUND, method)
    guess = answered("社員食堂の営業時間はいつですか", far, method)
    assert good.score > 0.7
    assert guess.score < good.score - 0.3
    assert guess.level == "escalate" or method == "weighted"


def test_the_score_says_by_which_numbers_it_was_made() -> None:
    assert answered(DAILY, FOUND).version == FITTED.version
    assert answered(DAILY, FOUND, "weighted").method == "weighted"


@pytest.mark.parametrize("method", METHODS)
def test_what_a_later_fit_needs_is_kept(method: str) -> None:
    assert set(answered(DAILY, FOUND, method).features) == set(FEATURES)
    assert set(FITTED.weights) == set(FEATURES)
    assert set(FITTED.typical) == set(FEATURES)


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("method", METHODS)
def test_the_explanation_is_in_sentences_with_the_reasons(method: str, language: Language) -> None:
    told = scorer(method, language).answer(DAILY, FOUND, judged(DAILY, FOUND))
    assert len(told.explanation) >= 3
    assert all(each.endswith(("。", ".")) for each in told.explanation)
    assert {each.told for each in told.factors} >= set(told.explanation[1:])
    assert all(0 <= each.value <= 1 for each in told.factors)


# ---- what takes off ----------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_self_evaluation_of_one_never_saves_an_answer_without_support(method: str) -> None:
    claimed = Judged(sentences=(), passages=(), refused=1, self_evaluation=1.0)
    told = scorer(method).answer(DAILY, FOUND, claimed)
    assert told.score < USED.confirm
    assert told.level == "escalate"
    assert "unsupported" in {each.name for each in told.penalties}


def test_a_models_answer_is_scored_by_its_words_and_by_its_own_evaluation() -> None:
    def scored(own: float | None) -> Confidence:
        given = judged(DAILY, FOUND).model_copy(update={"self_evaluation": own})
        return scorer().answer(DAILY, FOUND, given)

    by_rules, sure, torn, doubting = map(scored, (None, 1.0, 0.5, 0.1))
    assert doubting.score < torn.score < sure.score
    assert doubting.score < by_rules.score
    assert "self_evaluation" not in by_rules.features
    [told] = [each for each in doubting.factors if each.name == "self_evaluation"]
    assert told.effect < 0
    assert told.told in doubting.explanation


def test_a_model_that_is_sure_of_itself_alone_is_never_silent() -> None:
    """Of an answer whose words say hardly anything: it is shown, with a note."""
    found = (passage("駐車場は正門の左にあります。", 0.02), *FOUND)
    plain = Judged(sentences=("駐車場は正門の左にあります。",), passages=(found[0].id,))
    by_words = scorer().answer(DAILY, found, plain)
    sure = scorer().answer(DAILY, found, plain.model_copy(update={"self_evaluation": 1.0}))
    assert by_words.score < 0.3
    assert by_words.score < sure.score < USED.silent


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("flaw", "name"),
    [
        ({"refused": 1}, "unsupported"),
        ({"marked": 1}, "unsupported"),
        ({"contradictions": 1}, "contradiction"),
        ({"failures": 1}, "tool_failure"),
    ],
)
def test_every_flaw_takes_off_and_is_told(method: str, flaw: dict[str, int], name: str) -> None:
    plain = judged(DAILY, FOUND)
    without = scorer(method).answer(DAILY, FOUND, plain)
    told = scorer(method).answer(DAILY, FOUND, plain.model_copy(update=flaw))
    assert told.score < without.score
    assert name in {each.name for each in told.penalties}
    assert all(each.told in told.explanation for each in told.penalties)


@pytest.mark.parametrize("method", METHODS)
def test_without_passages_there_is_nothing_to_be_sure_of(method: str) -> None:
    told = scorer(method).answer(DAILY, (), Judged(sentences=(), passages=()))
    assert told.score < 0.1
    assert "no_hits" in {each.name for each in told.penalties}
    assert told.factors == () or method == "weighted"


def test_an_answer_in_other_words_is_judged_by_what_it_cites() -> None:
    own = Judged(sentences=("日当は2,500円です。",), passages=("P1",))
    wrong = Judged(sentences=("日当は2,500円です。",), passages=("P2",))
    assert scorer().answer(DAILY, FOUND, own).score > scorer().answer(DAILY, FOUND, wrong).score


# ---- searches ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_search_tells_what_it_found(method: str) -> None:
    statistics, told = scorer(method).search(DAILY, FOUND)
    assert statistics.hits == 3
    assert statistics.best == 0.95
    assert statistics.margin == pytest.approx(0.9)
    assert statistics.coverage == 1.0
    assert told.score > 0.7


@pytest.mark.parametrize("method", METHODS)
def test_a_search_without_hits_or_one_that_failed_is_told(method: str) -> None:
    statistics, nothing = scorer(method).search(DAILY, ())
    assert statistics.hits == 0
    assert nothing.score < 0.1
    assert [each.name for each in nothing.penalties] == ["no_hits"]
    _, failed = scorer(method).search(DAILY, (), failed=True)
    assert [each.name for each in failed.penalties] == ["no_hits", "tool_failure"]


def test_documents_that_have_the_same_figure_agree() -> None:
    other = passage("国内出張の日当は2,500円です。", 0.9, nth=2, document="手引き.docx")
    differs = passage("国内出張の日当は2,000円です。", 0.9, nth=2, document="手引き.docx")
    one = passage("国内出張の日当は2,500円とする。", 0.95, nth=1)
    assert scorer().search(DAILY, (one, other))[0].agreement == 1.0
    assert scorer().search(DAILY, (one, differs))[0].agreement == 0.0


# ---- several parts -----------------------------------------------------------------------------


def test_an_answer_of_several_parts_is_as_sure_as_all_of_them_together() -> None:
    part = answered(DAILY, FOUND)
    both = scorer().joined([part, part], Judged(sentences=("a", "b"), passages=()))
    assert both.score == pytest.approx(part.score**2, abs=1e-3)
    assert len(both.factors) == 2


def test_an_answer_of_no_parts_is_not_sure() -> None:
    assert scorer().joined([], Judged(sentences=(), passages=())).score < 0.1


# ---- whatever comes ----------------------------------------------------------------------------


@settings(max_examples=examples(25))
@given(
    st.text(max_size=40),
    st.lists(st.tuples(st.text(min_size=1, max_size=60), st.floats(0, 1)), max_size=3),
    st.sampled_from(METHODS),
    st.one_of(st.none(), st.floats(0, 1)),
)
def test_a_score_is_always_between_nothing_and_all(
    question: str, texts: list[tuple[str, float]], method: str, own: float | None
) -> None:
    passages = tuple(passage(text, chance, nth=nth) for nth, (text, chance) in enumerate(texts))
    given = judged(question, passages).model_copy(update={"self_evaluation": own})
    told = scorer(method).answer(question, passages, given)
    assert 0 <= told.score <= 1
    _, searched = scorer(method).search(question, passages)
    assert 0 <= searched.score <= 1
