"""What the network makes of a question beside the rules: surer, or asked about."""

from collections.abc import Sequence

import pytest

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.deciding import readings_of
from sanbo.agents.analysis.rules.reading import Readings, read_question
from sanbo.agents.analysis.spec.chips import reading_text
from tests.unit.agents.analysis.profiles import SHOP
from tests.unit.agents.analysis.reader.tables import CLAIMS, CLINIC
from tests.unit.agents.analysis.rules import test_exclusions as exclusions


def _language(asked: str) -> str:
    return "en" if asked.isascii() else "ja"


def _texts(readings: Readings, asked: str) -> list[str]:
    # pyrefly: ignore[bad-argument-type]
    return [reading_text(one.specs, _language(asked)) for one in readings.offered]


@pytest.mark.parametrize(
    ("asked", "profile", "said"),
    [
        ("来院した患者さんの待ち時間は平均で何分でしょうか。", CLINIC, "待ち時間（分）の平均"),
        ("待ち時間の平均を担当医別に出してちょうだい", CLINIC, "待ち時間（分）の平均・担当医ごと"),
        ("number of claims by status", CLAIMS, "number of rows, by Status"),
    ],
)
def test_what_both_read_is_answered_though_a_word_says_nothing(
    asked: str, profile: DatasetProfile, said: str
) -> None:
    assert read_question(asked, profile).sure is None, "rules alone ask"
    sure = readings_of([asked], profile).sure
    assert sure is not None
    # pyrefly: ignore[bad-argument-type]
    assert reading_text(sure.specs, _language(asked)).startswith(said)
    assert sure.set_aside == read_question(asked, profile).all[0].unread


@pytest.mark.parametrize(
    ("asked", "profile", "right"),
    [
        ("claims per month", CLAIMS, "number of rows, by month of Reported Date"),
        (
            "キャンセル以外の日の予約は何件ありますか",
            CLINIC,
            "件数・キャンセルを除く（来院状況）",
        ),
        ("担当医ごとに何人診た？", CLINIC, "件数・担当医ごと"),
    ],
)
def test_what_the_rules_are_sure_of_and_the_network_reads_otherwise_is_asked(
    asked: str, profile: DatasetProfile, right: str
) -> None:
    assert read_question(asked, profile).sure is not None
    readings = readings_of([asked], profile)
    assert readings.sure is None
    assert any(text.startswith(right) for text in _texts(readings, asked))


@pytest.mark.parametrize(
    "asked",
    ["店舗別の売上金額の合計を、5件より多いほう", "average Claimed per claim and per region"],
)
def test_a_word_that_asks_for_something_is_never_set_aside(asked: str) -> None:
    profile = SHOP if not asked.isascii() else CLAIMS
    unread = read_question(asked, profile).all[0].unread
    assert not unread or readings_of([asked], profile).sure is None


def test_no_exclusion_is_inverted_with_the_network_either() -> None:
    def verdict(asked: str, values: Sequence[str]) -> str:
        readings = readings_of([asked], exclusions.TABLE)
        return exclusions.verdict_of(readings, tuple(values))

    judged = [(verdict(asked, names), asked) for asked, names in exclusions.questions()[::3]]
    assert not [one for one in judged if one[0] in ("inverted", "ignored")]
    right = sum(told == "right" for told, _ in judged)
    assert right > 0.8 * len(judged), [one for one in judged if one[0] == "asked"]


@pytest.mark.parametrize("asked", ["", "？", "a" * 3000, "\x00", "売上" * 900])
def test_any_text_has_an_opinion_or_none(asked: str) -> None:
    readings_of([asked], SHOP)


@pytest.mark.parametrize("asked", ["Claimedの外れ値を教えて", "ClaimedとPaid Outの相関"])
def test_what_the_network_has_no_words_for_it_does_not_doubt(asked: str) -> None:
    alone = read_question(asked, CLAIMS).sure
    assert alone is not None
    assert readings_of([asked], CLAIMS).sure == alone


def test_a_follow_up_is_read_with_what_it_goes_on_from() -> None:
    sure = readings_of(["担当医ごとの予約件数は？", "キャンセルは除いて"], CLINIC).sure
    assert sure is not None
    assert reading_text(sure.specs, "ja").startswith(
        "件数・担当医ごと・キャンセルを除く（来院状況）"
    )
