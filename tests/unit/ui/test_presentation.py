"""Figures and states as people read them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sanbo.kernel.messages import LANGUAGES, use_language
from sanbo.llm.engine import RULES, Engine
from sanbo.runs.model import Status
from sanbo.ui.presentation import duration, engine_of, look_of, moment, size

NOON = datetime(2026, 4, 1, 3, 0, tzinfo=UTC)
TOKYO = ZoneInfo("Asia/Tokyo")


@pytest.mark.parametrize(
    ("seconds", "japanese", "english"),
    [
        (-1, "0.0秒", "0.0 s"),
        (0.44, "0.4秒", "0.4 s"),
        (12.9, "12秒", "12 s"),
        (185, "3分05秒", "3 min 05 s"),
        (7650, "2時間07分", "2 h 07 min"),
        (180_000, "2日2時間", "2 d 2 h"),
    ],
)
def test_duration_is_as_exact_as_it_is_useful(seconds: float, japanese: str, english: str) -> None:
    assert duration(seconds) == japanese
    with use_language("en"):
        assert duration(seconds) == english


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 バイト"),
        (999, "999 バイト"),
        (1500, "1.5 KB"),
        (2_345_678, "2.3 MB"),
        (5 * 10**9, "5.0 GB"),
    ],
)
def test_size_has_a_unit_that_fits(count: int, shown: str) -> None:
    assert size(count) == shown


def test_time_of_today_has_no_date() -> None:
    assert moment(NOON, TOKYO, NOON + timedelta(hours=1)) == "今日 12:00"
    assert moment(NOON, TOKYO, NOON + timedelta(days=1)) == "2026年4月1日 12:00"
    with use_language("en"):
        assert moment(NOON, TOKYO, NOON + timedelta(days=1)) == "2026-04-01 12:00"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_status_has_icon_colour_and_word(language: str) -> None:
    with use_language(language):  # pyright: ignore[reportArgumentType]
        looks = [look_of(status) for status in Status]
    assert len({look.word for look in looks}) == len(looks)
    assert len({look.icon for look in looks}) == len(looks)


def test_engine_is_named_with_its_server() -> None:
    local = Engine(provider="openai", model="llama3", base_url_host="localhost:11434")
    assert engine_of(RULES) == "ルール（モデルなし）"
    assert engine_of(local) == "OpenAI（localhost:11434） llama3"
    with use_language("en"):
        assert engine_of(Engine(provider="google_genai", model="gemini")) == "Google Gemini gemini"
