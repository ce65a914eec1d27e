"""The benchmark's judge: what it lets pass, and what it does not."""

from typing import Any

import pytest
from benchmarks.analysis.judging import Question, judge

from sanbo.agents.analysis.results import AnalysisResult, AnswerTable

SHARES = AnswerTable(
    title="売上の構成比",
    columns=["店舗", "売上_sum", "share"],
    labels=["店舗", "売上（合計）", "構成比"],
    kinds=["text", "integer", "share"],
    units=["", "千円", ""],
    rows=[["新宿店", 300, 0.6], ["大阪店", 200, 0.4]],
    row_count=2,
    result_id="r1",
)
MONTHS = SHARES.model_copy(
    update={
        "columns": ["月", "count"],
        "labels": ["月", "件数"],
        "kinds": ["text", "integer"],
        "units": ["", "件"],
        "rows": [["2025-04", 5], ["2025-05", 5], ["2025-06", 4]],
        "row_count": 3,
    }
)


def _question(**given: Any) -> Question:
    return Question.model_validate(
        {"id": 1, "language": "ja", "table": "x.csv", "ask": "?"} | given
    )


def _result(kind: Any = "report", **given: Any) -> AnalysisResult:
    told: dict[str, Any] = {"specs": [], "tables": [SHARES, MONTHS], "figures": []}
    return AnalysisResult.model_validate(
        told
        | {"kind": kind, "answer_md": "", "report_md": "", "assumptions": [], "suggestions": []}
        | given
    )


def _figures(*given: tuple[list[str], float | None]) -> list[dict[str, Any]]:
    return [{"labels": labels, "value": value} for labels, value in given]


BOTH = _figures((["新宿店"], 60), (["大阪店"], 40))


@pytest.mark.parametrize(
    ("expected", "is_right"),
    [
        ({"figures": BOTH, "complete": True, "ordered": True}, True),
        ({"figures": _figures((["新宿店"], 0.6))}, True),
        ({"figures": _figures((["新宿店"], 300_000))}, True),
        ({"figures": _figures((["新宿店", "売上"], 300))}, True),
        ({"figures": _figures((["新宿店", "構成比"], 300))}, False),
        ({"figures": _figures((["新宿店"], 0.4))}, False),
        ({"figures": _figures((["新宿店"], 60.001))}, False),
        ({"figures": BOTH[:1], "complete": True}, False),
        ({"figures": BOTH[::-1], "ordered": True}, False),
        ({"figures": _figures((["2025-05"], 5), (["2025年4月"], 5)), "ordered": True}, True),
        ({"figures": _figures((["大阪店"], None))}, True),
        ({"figures": _figures((["京都店"], None))}, False),
        ({"figures": _figures(([], 1)), "alternatives": [_figures(([], 4))]}, True),
        ({"figures": BOTH, "chart": {"kind": "bar", "x": "店舗", "y": "売上"}}, False),
        ({"kind": "ask"}, False),
    ],
)
def test_figures_stand_beside_their_labels(expected: dict[str, Any], *, is_right: bool) -> None:
    verdict = judge(_question(**expected), _result())
    assert verdict.is_right is is_right
    assert is_right or verdict.outcome == "wrong"


def test_a_question_back_is_not_an_error_in_silence() -> None:
    assert judge(_question(figures=BOTH), _result("question")).outcome == "asked"
    assert judge(_question(figures=BOTH), _result("out_of_scope")).outcome == "refused"
    assert judge(_question(kind="refuse"), _result("out_of_scope")).is_right


def test_a_chart_may_draw_a_result() -> None:
    plot = {"type": "plot", "kind": "bar", "x": "店舗", "y": "売上_sum"}
    wanted = _question(figures=BOTH, chart={"kind": "bar", "x": "店舗", "y": "売上"})
    assert judge(wanted, _result(specs=[plot])).is_right
    assert not judge(wanted, _result(specs=[plot | {"x": "月"}])).is_right
