"""Each operation of a block that has many stands in the reference, with an example that is true."""

import pickle
from typing import Any, cast

from sanbo.blocks.block import BlockProblem
from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.excel.operations import DO
from sanbo.blocks.transforms.feature import OF_DATES, OF_NUMBERS, OF_TEXTS
from tests.unit.blocks.computing import compute


def test_every_operation_on_a_workbook_has_an_example_that_runs() -> None:
    spec = Catalog.load(None).resolve("excel.update_workbook")
    assert {section.name for section in spec.sections} == DO.keys()
    workbook = spec.dry_run.samples[0].inputs["workbook"]
    for section in spec.sections:
        example = cast("dict[str, Any]", section.example)
        assert example["type"] == section.name
        made = compute("excel.update_workbook", {"workbook": workbook, "operations": [example]})
        assert made["summary"]["skipped"] == [], section.name
        is_found = section.name not in ("replace_in_formulas",)  # the sample has no formulas
        assert bool(made["summary"]["changes"]) or not is_found, section.name


def test_every_feature_has_an_example_that_gives_what_it_says() -> None:
    spec = Catalog.load(None).resolve("transforms.compute_features")
    rows, *features = spec.sections
    items = cast("dict[str, Any]", rows.example)["items"]
    assert {each.name for each in features} == {*OF_NUMBERS, *OF_DATES, *OF_TEXTS}
    for each in features:
        made = compute("transforms.compute_features", {"items": items, "config": each.example})
        assert [row["結果"] for row in made["features"]] == each.gives, each.name


def test_a_block_tells_a_problem_in_its_own_words() -> None:
    problem = cast(
        "BlockProblem",
        pickle.loads(pickle.dumps(BlockProblem("金額がマイナスです。", "赤伝票を。"))),
    )
    assert (problem.problem.message, problem.problem.hint) == ("金額がマイナスです。", "赤伝票を。")
    assert BlockProblem("a {b}").problem.message == "a {b}"
    assert BlockProblem("a").problem.hint
