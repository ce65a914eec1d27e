"""What a question leaves out or takes by a part of a name: the numbers are right, or it asks.

Never the opposite, and never an answer without the condition.
"""

import io
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from sanbo.agents.analysis.execution.perform import execute
from sanbo.agents.analysis.jobs import LoadJob
from sanbo.agents.analysis.loading import load
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.rules.conversation import wanted
from sanbo.agents.analysis.rules.drafts import Unclear
from sanbo.agents.analysis.rules.scene import table_of
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.kernel.messages import Language, use_language
from tests.unit.agents.analysis.rules.tables import answer

STORES = ("新宿店", "原宿店", "大阪店", "横浜店")
ROWS = [
    (f"2025-{month:02d}-{day:02d}", store, kind, 1000 * place + 100 * month + day + len(kind))
    for month in (1, 2, 3)
    for day in (3, 18)
    for place, store in enumerate(STORES, 1)
    for kind in ("家電", "食品", "日用品")
]
CSV = "日付,店舗名,カテゴリ,売上\n" + "\n".join(",".join(map(str, row)) for row in ROWS)


@cache
def _table() -> tuple[DatasetProfile, bytes]:
    output = io.BytesIO()
    profile = load(LoadJob(name="売上.csv", sha256="0" * 64), memoryview(CSV.encode()), output)
    return profile, output.getvalue()


_DONE: dict[str, dict[str, int]] = {}


def _executed(spec: AnalysisSpec) -> dict[str, int]:
    key = spec.model_dump_json()
    if key not in _DONE:
        outcome, _ = execute(spec, memoryview(_table()[1]), io.BytesIO())
        _DONE[key] = {str(row[0]): int(str(row[-1])) for row in outcome.tables[0].rows}
    return _DONE[key]


def _answered(question: str, language: Language = "ja") -> dict[str, int] | None:
    """Each store's sales, or None where the rules ask back."""
    with use_language(language):
        outcome = wanted([question], table_of(_table()[0])).outcome
    if isinstance(outcome, Unclear):
        return None
    assert outcome is not None, question
    (analysis,) = [step.analysis for step in outcome.steps if step.analysis]
    return _executed(analysis)


def _sales(*stores: str) -> dict[str, int]:
    return {one: sum(row[3] for row in ROWS if row[1] == one) for one in stores}


def _judged(cases: Iterator[tuple[str, tuple[str, ...]]], language: Language) -> Counter[str]:
    """How many are right and how many ask; a wrong answer fails here."""
    wrong: list[tuple[str, list[str]]] = []
    count: Counter[str] = Counter()
    for question, kept in cases:
        found = _answered(question, language)
        count["asks" if found is None else "right"] += 1
        if found is not None and found != _sales(*kept):
            wrong.append((question, sorted(found)))
    assert not wrong, (len(wrong), wrong[:20])
    return count


_ONE, _TWO = ("大阪店",), ("大阪店", "横浜店")
PARTICLES = (
    "",
    "は",
    "を",
    "が",
    "も",
    "だけ",
    "だけは",
    "のみ",
    "を全て",
    "のデータは",
    "については",
)
VERBS = (
    *(
        "除く",
        "除いて",
        "除き",
        "除いた",
        "除外",
        "除外する",
        "除外して",
        "除外した",
        "のぞく",
        "のぞいて",
    ),
    *(
        "対象外",
        "対象外で",
        "以外",
        "以外で",
        "カット",
        "カットして",
        "省く",
        "省いて",
        "外す",
        "外して",
    ),
    *(
        "含めず",
        "含めずに",
        "含めない",
        "含めないで",
        "含まない",
        "計算に含めない",
        "集計から外して",
    ),
    *("入れず", "入れずに", "入れない", "入れないで", "抜き", "抜きで", "抜きにして", "無視して"),
    "カウントしないで",
)


def _japanese(*, is_whole: bool = False) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every particle with every verb; where and with how many values in turn, unless whole."""
    ways = list(product((_ONE, _TWO), (True, False), range(4)))
    for number, (particle, verb) in enumerate(product(PARTICLES, VERBS)):
        for stores, is_quoted, place in ways if is_whole else [ways[number % len(ways)]]:
            named = "と".join(f"「{one}」" if is_quoted else one for one in stores)
            said = f"{named}{particle}{verb}"
            question = (
                f"{said}、店舗名別の売上の合計",
                f"店舗名別の売上の合計。{said}",
                f"店舗名別の売上の合計（{said}）",
                f"店舗名別の売上の合計を出して、{said}ください",
            )[place]
            yield question, tuple(one for one in STORES if one not in stores)


_BEFORE = (
    *("excluding", "exclude", "except", "except for", "with the exception of", "other than"),
    *("without", "but not", "leaving out", "ignoring", "omitting", "apart from"),
    *("not including", "not counting", "don't include"),
)
_AFTER = ("excluded", "left out", "not included", "is excluded", "should be left out", "omitted")


def _english(*, is_whole: bool = False) -> Iterator[tuple[str, tuple[str, ...]]]:
    ways = list(product((_ONE, _TWO), (True, False), range(4)))
    for number, word in enumerate((*_BEFORE, *_AFTER)):
        for stores, is_quoted, place in ways if is_whole else ways[number % 3 :: 3]:
            named = " and ".join(f'"{one}"' if is_quoted else one for one in stores)
            said = f"{word} {named}" if word in _BEFORE else f"{named} {word}"
            question = (
                f"total 売上 by 店舗名, {said}",
                f"total 売上 by 店舗名. {said.capitalize()}",
                f"total 売上 by 店舗名 ({said})",
                f"{said}, total 売上 by 店舗名",
            )[place]
            yield question, tuple(one for one in STORES if one not in stores)


def test_what_is_left_out_is_left_out_or_asked_about() -> None:
    count = _judged(_japanese(), "ja")
    assert count["right"] == count.total(), count


def test_what_is_left_out_in_english_is_left_out_or_asked_about() -> None:
    count = _judged(_english(), "en")
    assert count["right"] == count.total(), count


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("店舗名に宿を含む行の店舗名別の売上の合計", ("新宿店", "原宿店")),
        ("店舗名に宿が入っている行の店舗名別の売上の合計", ("新宿店", "原宿店")),
        ("店舗名に「宿」を含む店舗名別の売上の合計", ("新宿店", "原宿店")),
        ("total 売上 by 店舗名 where 店舗名 contains 「宿」", ("新宿店", "原宿店")),
    ],
)
def test_a_part_of_a_name_is_a_condition(question: str, kept: tuple[str, ...]) -> None:
    assert _answered(question) == _sales(*kept)


_CONTAINED = [
    said.replace("X", text)
    for text in ("宿", "「宿」", "新宿", "「大阪」", '"宿"')
    for said in (
        "店舗名にXを含む行の店舗名別の売上の合計",
        "店舗名にXが入っている行の店舗名別の売上の合計",
        "店舗名にXが含まれる店舗名別の売上の合計",
        "Xを含む店舗名の店舗名別の売上の合計",
        "Xを含む店舗名の、店舗名別の売上の合計",
        "Xの入った店舗名について、店舗名別の売上の合計",
        "名前にXが入っている店舗名の、店舗名別の売上の合計",
        "店舗名別の売上の合計。店舗名にXを含むもの",
        "店舗名別の売上の合計（店舗名にXを含む行）",
        "total 売上 by 店舗名 where 店舗名 contains X",
        "total 売上 by 店舗名 for 店舗名 containing X",
    )
]


def test_what_a_name_contains_is_a_condition_or_asked_about() -> None:
    parts = {text: tuple(one for one in STORES if text in one) for text in ("新宿", "大阪", "宿")}
    cases = (
        (
            question,
            next(kept for text, kept in parts.items() if text in question.replace("店舗", "")),
        )
        for question in _CONTAINED
    )
    count = _judged(cases, "ja")
    assert count["right"] > 0.6 * count.total(), count


@pytest.mark.parametrize(
    "question",
    [
        "店舗名別の売上の合計。札幌の分は除く",
        "店舗名別の売上の合計。大阪店は除かないで",
        "店舗名別の売上の合計。大阪店は除外しない",
        "店舗名別の売上の合計。大阪店以外は除く",
        "店舗名別の売上の合計。大阪店だけでなく全店で",
        "店舗名別の売上の合計。大阪店を含めて",
        "店舗名別の売上の合計。大阪店込みで",
        "店舗名別の売上の合計。大阪店の家電を除く",
        "店舗名別の売上の合計。3月の大阪店は除く",
        "大阪店の店舗名別の売上の合計。大阪店は除く",
        "店舗名別の売上の合計。外れ値は対象外",
        "店舗名別の売上の合計。店舗名に宿を含まないもの",
        "店舗名別の売上の合計。店舗名に新宿を含まないもの",
        "店舗名別の売上の合計。店舗名に「宿」か「浜」を含むもの",
        "宿を含む店舗別の売上の合計",
        "大阪店を含む店舗名別の売上の合計",
        "total 売上 by 店舗名 without excluding 大阪店",
        "total 売上 by 店舗名, do not exclude 大阪店",
        "total 売上 by 店舗名 including 大阪店",
        "total 売上 by 店舗名 regardless of 大阪店",
    ],
)
def test_what_can_not_be_told_is_asked(question: str) -> None:
    assert _answered(question) is None


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("1月は除く", ("02-03", "02-18", "03-03", "03-18")),
        ("1月と2月は対象外", ("03-03", "03-18")),
        ("2025年1月から2025年2月は除いて", ("03-03", "03-18")),
        ("2025年1月1日から2025年2月10日は除いて", ("02-18", "03-03", "03-18")),
    ],
)
def test_months_are_left_out_too(said: str, days: tuple[str, ...]) -> None:
    expected: Counter[str] = Counter()
    for day, store, _, amount in ROWS:
        expected[store] += amount * (day[5:] in days)
    assert _answered(f"店舗名別の売上の合計。{said}") == expected


def test_weekends_that_are_left_out_leave_the_other_days() -> None:
    derived, total = answer(_table()[0], "土日を除いた売上の合計").analyses
    assert derived.op == "derive"
    assert total.filters[0].model_dump()["value"] == (1, 2, 3, 4, 5)


def test_a_question_after_one_that_was_not_understood_stands_on_what_was() -> None:
    found = answer(_table()[0], "店舗名別の売上の合計", "札幌の分は除いて", "大阪店は除いて")
    assert found.last.next_action != "ask"
    (spec,) = found.analyses
    assert _executed(spec) == _sales("新宿店", "原宿店", "横浜店")
