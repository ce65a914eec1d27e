"""Twenty plans of earlier shapes: each migrates, and runs to the same outputs as before."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.messages import LANGUAGES, read_yaml, use_language
from sanbo.plans.load import load
from sanbo.plans.migration import migrate
from sanbo.plans.model import PlanText
from sanbo.plans.workflow import Plans
from sanbo.runs.model import Interaction, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings

CASES: dict[str, dict[str, Any]] = read_yaml(Path(__file__).parent / "former_plans.yaml")
CSV = "店,金額\n東京,100\n大阪,5\n"


def _answer(interaction: Interaction, given: dict[str, Any], file: dict[str, Any]) -> Any:
    """By field, or by node and field where several ask for the same."""
    node = [step for step in interaction.path if not step.startswith("#")][-2]
    names = [each.id for each in interaction.requirements]
    names += ["approved", "comment"] if interaction.mode == "confirm" else []
    answer: dict[str, Any] = {}
    for name in names:
        value = given.get(f"{node}_{name}", given.get(name))
        if value is not None:
            answer[name] = file if value == "@csv" else value
    return answer


async def _ran(bench: Workbench, text: str, given: dict[str, Any]) -> tuple[Run, int]:
    file = await bench.upload(LOCAL, CSV.encode(), "明細.csv")
    run = await bench.start(LOCAL, "plan", {"source": {"plan": {"text": text}}})
    asked = 0
    while True:
        run = await bench.wait(LOCAL, run.run_id)
        if run.status is not Status.WAITING:
            return run, asked
        for interaction in run.open_interactions:
            asked += 1
            answer = _answer(interaction, given, file.model_dump(mode="json"))
            await bench.answer(LOCAL, run.run_id, answer, interaction.interaction_id)


def test_there_are_twenty() -> None:
    assert len(CASES) == 20


@pytest.mark.parametrize("name", CASES)
def test_before_and_after_give_the_same(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    text = case["plan"]
    made = migrate(text)
    assert list(made.forms) == case["forms"]
    assert [f"{each.node}: {each.reason}" for each in made.left] == case.get("left", [])
    assert [line for line in case.get("has", []) if line not in made.text] == []
    again = migrate(made.text)
    assert (again.text, again.forms) == (made.text, ()), "what is migrated is left alone"

    async def compare() -> None:
        settings = load_settings(tmp_path / "workspace", {"SANBO_LLM__PROVIDER": "rules"})
        async with open_workbench(settings, (Plans(),)) as bench:
            before, asked_before = await _ran(bench, text, case.get("answers", {}))
            after, asked = await _ran(bench, made.text, case.get("answers", {}))
            assert before.status is Status.SUCCEEDED, before.problem
            assert after.status is Status.SUCCEEDED, after.problem
            assert before.result is not None
            assert after.result is not None
            assert after.result["exports"] == before.result["exports"]
            assert before.result["exports"], "a plan that gives nothing shows nothing"
            assert asked <= asked_before + case.get("more", 0)

    asyncio.run(compare())


HEAD = "id: x\nversion: 1.0.0\ngraph:\n"
READ = "  - {{id: p, block: transforms.pick, in: {{source: {0}}}}}\n"
LEFT = {
    "unknown": ["  - {id: a, block: ui.file_uploader.tape}\n"],
    "computed": ["  - {id: a, block: ui.text_input.number}\n", READ.format('"${= a.number + 1}"')],
    "whole": ["  - {id: a, block: ui.confirmation}\n", READ.format('"${a.choice}"')],
    "anchor": ["  - {id: a, block: ui.text_input.single, in: {message: &m 文}}\n"],
    "options": ['  - {id: a, block: ui.confirmation, in: {options: ["${vars.x}"]}}\n'],
    "export": [
        "  - {id: a, block: ui.confirmation, in: {options: [可, 否]}}\n",
        "exports: [{from: a.approved, as: ok}]\n",
    ],
    "value": [
        "  - {id: a, block: ui.placeholder, in: {value: 1}}\n",
        READ.format('{t: "値は${a.value}"}'),
    ],
    "last": ["  - {id: p, block: flow.end}\nfinally:\n", "  - {id: a, block: ui.confirmation}\n"],
    "aliases": [
        "  - id: l\n    foreach: {input: [1]}\n    body:\n      graph:\n",
        "        - {id: a, block: ui.text_input.single, out: {text: t}}\n",
    ],
}


@pytest.mark.parametrize("reason", LEFT)
def test_what_is_left_stays_as_it_is_and_says_why(reason: str) -> None:
    text = HEAD + "".join(LEFT[reason])
    made = migrate(text)
    assert ([each.reason for each in made.left], made.text) == ([reason], text)
    for language in LANGUAGES:
        with use_language(language):
            assert "a" in made.left[0].sentence


def test_lines_of_windows_and_a_last_text_of_several_lines() -> None:
    plan = """\
id: x
version: 1.0.0
graph:
  - id: a
    block: ui.text_input.single
    in:
      message: |
        一行目

  # 次の手順
  - {id: p, block: transforms.pick, in: {source: "${a.text}"}}
"""
    made = migrate(plan)
    assert made.text.endswith(
        "\n  # 次の手順\n  - {id: p, block: transforms.pick,"
        ' in: {source: "${a.collected_data.text}"}}\n'
    )
    assert migrate(plan.replace("\n", "\r\n")).text == made.text.replace("\n", "\r\n")


def test_what_is_not_touched_stays_byte_for_byte() -> None:
    for case in CASES.values():
        before, after = case["plan"].splitlines(), migrate(case["plan"]).text.splitlines()
        comments = [line.partition("# ")[2] for line in before if "# " in line]
        assert [each for each in comments if each not in "\n".join(after)] == []
        assert load(PlanText(text=migrate(case["plan"]).text)).plan is not None
