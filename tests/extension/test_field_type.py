"""A type of field is added with one record, and its name where plans may write it.

Forms of plans, the command line, answers over the API and pages then have it.
"""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.extension.house import House

RECORD = """
import datetime


def _time_faults(field: Requirement, value: JsonValue) -> Iterator[Fault]:
    try:
        datetime.time.fromisoformat(str(value))
    except ValueError:
        yield Fault({"ja": "時刻ではありません。", "en": "That is no time."}[current_language()])


FIELDS = {
    **FIELDS,
    "time": FieldKind(
        name="time",
        words={"ja": "時刻", "en": "time"},
        schema=lambda _: {"type": "string", "format": "time"},
        example=lambda _: "17:30",
        value_types=frozenset({"string"}),
        faults=_time_faults,
        typed=lambda _, typed: typed.replace("時", ":").replace("分", ""),
        widget="line",
        python_types=(datetime.time,),
    ),
}
"""
PLAN = """\
apiVersion: v1
id: asking
version: 1.0.0
graph:
  - id: ask
    block: ui.interactive_input
    in:
      requirements:
        - { id: at, type: time, label: 締切時刻 }
exports:
  - { from: ask.collected_data.at, as: at }
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    with House.built_in(tmp_path_factory.mktemp("house")) as house:
        house.replace(
            "runs/fields.py", "FILE_TYPES = frozenset(", RECORD + "FILE_TYPES = frozenset("
        )
        house.replace(
            "runs/fields.py", "import Language, tell", "import Language, current_language, tell"
        )
        spec = "blocks/specs/ui/ui.interactive_input.yaml"
        house.replace(spec, "chat, date", "chat, time, date")
        (house.folder / "asking.yaml").write_text(PLAN, "utf-8")
        yield house


def test_a_plan_asks_for_it_and_what_is_wrong_is_told_in_words(house: House) -> None:
    plan = str(house.folder / "asking.yaml")
    checked = house.sanbo("plan", "validate", plan, "--json")
    assert json.loads(checked.stdout)["valid"], checked.stdout
    asked = house.sanbo("plan", "run", plan, "--json")
    assert asked.returncode == 3, asked.stderr
    run_id = json.loads(asked.stdout)["run_id"]
    shown = house.sanbo("runs", "show", run_id)
    assert "時刻" in shown.stdout + shown.stderr
    refused = house.sanbo("runs", "answer", run_id, "--data", '{"at": "25:30"}')
    assert refused.returncode == 1
    assert "時刻ではありません。" in refused.stderr
    answered = house.sanbo("runs", "answer", run_id, "--data", '{"at": "17:30"}', "--json")
    assert json.loads(answered.stdout)["result"]["exports"] == {"at": "17:30"}


def test_the_command_line_reads_it_as_people_type_it(house: House) -> None:
    done = house.sanbo(
        "plan", "run", str(house.folder / "asking.yaml"), "--set", "at=17時30分", "--json"
    )
    assert json.loads(done.stdout)["result"]["exports"] == {"at": "17:30"}, done.stderr


def test_the_api_describes_it_and_a_page_draws_it(house: House) -> None:
    program = Path(__file__).parent / "field_type_page.py"
    done = house.python(str(program))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"schema": True, "widgets": ["締切時刻（必須）"]}
