"""A workflow is added with one folder: command line, API and pages have it without a change."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.extension.house import House

COUNTING = Path(__file__).parent / "workflow" / "counting"
ASKING = """
import json
from fastapi.testclient import TestClient
from sanbo.server import create_app
from sanbo.service.catalog import WORKFLOWS
from sanbo.settings import load_settings

with TestClient(create_app(load_settings(), WORKFLOWS), base_url="http://127.0.0.1") as client:
    forms = client.get("/api/v1/workflows").json()
    asked = {"workflow": "counting", "input": {"text": "あい"}}
    run = client.post("/api/v1/runs", json=asked).json()
    client.get(f"/api/v1/runs/{run['run_id']}/events").read()
    parts = client.get(f"/api/v1/runs/{run['run_id']}/parts").json()
print(json.dumps({"forms": forms, "parts": parts}))
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    with House.built_in(tmp_path_factory.mktemp("house")) as house:
        for file in sorted(COUNTING.glob("*.*")):
            house.add(file, "agents/counting")
        yield house


def test_the_command_line_starts_it_and_draws_its_parts(house: House) -> None:
    done = house.sanbo("runs", "start", "counting", "--input", '{"text": "いろは\\nに"}')
    assert done.returncode == 0, done.stderr
    assert "字数" in done.stdout
    assert "4" in done.stdout


def test_the_api_has_its_form_and_its_parts(house: House) -> None:
    done = house.python("-c", ASKING)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    form = next(each for each in told["forms"]["workflows"] if each["name"] == "counting")
    assert [field["label"] for field in form["requirements"]] == ["文章"]
    facts = next(part for part in told["parts"]["parts"] if part["kind"] == "facts")
    assert [(item["label"], item["value"]) for item in facts["items"]] == [("字数", 2), ("行数", 1)]
