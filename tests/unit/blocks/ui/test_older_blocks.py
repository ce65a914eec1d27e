"""Blocks that plans in circulation still use."""

from pathlib import Path

from sanbo.runs.model import JsonObject
from sanbo.service.workbench import Workbench
from tests.unit.blocks.one_block import CATALOG, answer, begin, by_rules, on_bench, outputs


def test_a_confirmation_gives_approval_or_not(tmp_path: Path) -> None:
    asked: list[tuple[JsonObject, JsonObject, bool]] = [
        ({"message": "続けますか"}, {"approved": True}, True),
        ({"message": "続けますか"}, {"approved": False, "comment": "後で"}, False),
        ({"options": ["続行", "中止"]}, {"choice": "続行"}, True),
        ({"options": ["続行", "中止"]}, {"choice": "中止"}, False),
    ]

    async def work(bench: Workbench) -> None:
        for given, said, approved in asked:
            run = await begin(bench, "ui.confirmation", given)
            made = outputs(await answer(bench, run, said))
            assert made["approved"] is approved
            assert made["comment"] == said.get("comment")
            assert made["choice"] == said.get("choice")

    on_bench(by_rules(tmp_path / "w"), work)


def test_a_placeholder_hands_its_value_on(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        given: JsonObject = {"message": "済み", "output_method": "display", "value": [1, {"a": 2}]}
        made = outputs(await begin(bench, "ui.placeholder", given))
        assert made == {"value": [1, {"a": 2}], "output_method": "display"}

    on_bench(by_rules(tmp_path / "w"), work)


def test_they_say_what_to_use_instead() -> None:
    for name in ("ui.confirmation", "ui.placeholder"):
        assert "ui.interactive_input" in CATALOG.resolve(name).deprecated["ja"]
