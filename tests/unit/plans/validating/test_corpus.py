"""Every broken plan gets exactly its findings, at their lines; a good one gets none."""

from pathlib import Path

import pytest

from sanbo.kernel.messages import use_language
from sanbo.plans.validating import validate
from tests.unit.plans.corpus import (
    BROKEN,
    SETTINGS,
    SHIPPED,
    VALID,
    catalog,
    expected,
    plans,
    source_of,
    told,
)


def test_there_are_enough_plans_to_tell() -> None:
    assert len(plans(BROKEN)) >= 240
    assert len(plans(VALID)) >= 6


@pytest.mark.parametrize("file", plans(BROKEN), ids=lambda file: file.stem)
def test_a_broken_plan_gets_exactly_its_findings(file: Path) -> None:
    found = validate(source_of(file), catalog(), SETTINGS)
    assert [told(each) for each in found] == expected(file)
    assert all(each.message and each.hint for each in found)


@pytest.mark.parametrize("file", [*plans(VALID), *plans(SHIPPED)], ids=lambda file: file.stem)
def test_a_good_plan_gets_none(file: Path) -> None:
    assert validate(source_of(file), catalog(), SETTINGS) == ()


def test_findings_are_told_in_the_language_of_the_reader() -> None:
    file = BROKEN / "block_unknown.yaml"
    with use_language("en"):
        (english,) = validate(source_of(file), catalog(), SETTINGS)
    (japanese,) = validate(source_of(file), catalog(), SETTINGS)
    assert "There is no block demo.row" in english.message
    assert "Did you mean demo.rows?" in english.hint
    assert "ブロック「demo.row」はありません" in japanese.message
