"""What a question says and a reading does not: each doubt with its opposite."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from sanbo.agents.analysis.building.frame import Frame, Measure
from sanbo.agents.analysis.building.steps import Spec
from sanbo.agents.analysis.mentions.finding import items_of
from sanbo.agents.analysis.mentions.scene import scene_of
from sanbo.agents.analysis.reader.doubts import has_doubts
from sanbo.agents.analysis.reader.readings import Reading
from tests.unit.agents.analysis.profiles import number, table, with_gaps, words

CATCHES = table(
    words("捕獲者", "田中一郎", "田中健", "佐藤誠"),
    words("区分", "要介護3", "要介護4"),
    with_gaps(words("備考", "至急", "至急・電話あり", "再発")),
    number("頭数", 1, 9),
    number("奨励金額", 0, 90_000),
    rows=80,
)
_SPEC: TypeAdapter[Spec] = TypeAdapter(Spec)
COUNT, SUM = Measure(None, "count"), Measure("奨励金額", "sum")


def _doubts(question: str, measure: Measure, *unread: str, **told: Any) -> bool:
    metrics = {} if measure.column is None else {measure.column: ["sum"]}
    spec = {"type": "analysis", "op": "groupby_agg", "metrics": metrics, **told}
    frame = Frame(measures=[measure])
    reading = Reading((_SPEC.validate_python(spec),), frame, 1.0, frozenset(), unread)
    scene = scene_of(CATCHES)
    return has_doubts(reading, items_of(question, scene), question, scene)


def _is(column: str, value: str, op: str = "==") -> dict[str, Any]:
    return {"filters": [{"col": column, "op": op, "value": value}]}


@pytest.mark.parametrize(
    ("question", "measure", "told"),
    [
        ("佐藤さんは何頭", COUNT, {}),
        ("佐藤さんにいくら払ったか", COUNT, {}),
        ("捕獲者別だと？遅い順", SUM, {"group_cols": ["捕獲者"]}),
        ("要介護3以上の人の奨励金額", SUM, _is("区分", "要介護3")),
        ("田中さんの奨励金額", SUM, _is("捕獲者", "田中", "contains")),
        ("備考に至急とある件数", COUNT, _is("備考", "至急")),
    ],
)
def test_what_a_reading_leaves_unsaid_is_doubted(
    question: str, measure: Measure, told: dict[str, Any]
) -> None:
    assert _doubts(question, measure, **told)


@pytest.mark.parametrize(
    ("question", "measure", "told"),
    [
        ("佐藤さんは何回", COUNT, {}),
        ("佐藤さんにいくら払ったか", SUM, {}),
        (
            "捕獲者別の奨励金額、多い順",
            SUM,
            {"group_cols": ["捕獲者"], "sort": {"by": "奨励金額_sum", "ascending": False}},
        ),
        ("要介護3の人の奨励金額", SUM, _is("区分", "要介護3")),
        ("佐藤さんの奨励金額", SUM, _is("捕獲者", "佐藤", "contains")),
        ("再発の件数", COUNT, _is("備考", "再発")),
    ],
)
def test_what_a_reading_says_is_not_doubted(
    question: str, measure: Measure, told: dict[str, Any]
) -> None:
    assert not _doubts(question, measure, **told)


def test_a_name_that_has_no_part_in_it_is_doubted() -> None:
    assert _doubts("total paid to Smith in all", SUM, "smith")
    assert not _doubts("Total paid in all", SUM, "total")
    assert not _doubts("TOTAL PAID TO ALL", SUM, "paid")
