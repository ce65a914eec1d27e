"""A vendor is added with one file: settings, doctor and runs have it without another change."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.extension.house import House
from tests.scripted_model import Json, ScriptedModel

TOYBOX = Path(__file__).parent / "vendor" / "toybox.py"
PLAN = """\
apiVersion: v1
id: reading
version: 1.0.0
graph:
  - id: read
    block: ai.process_llm
    in:
      evidence_data: ["請求金額：1,000円"]
      prompt: 読み取る
      output_schema: { 請求金額: number }
exports:
  - { from: read.results.請求金額, as: amount }
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    with House.built_in(tmp_path_factory.mktemp("house")) as house:
        house.add(TOYBOX, "llm/vendors")
        yield house


def test_its_settings_are_known_and_its_key_is_a_secret(house: House) -> None:
    done = house.sanbo("runs", "list", SANBO_LLM__TOYBOX_ULR="http://127.0.0.1")
    assert "SANBO_LLM__TOYBOX_URL" in done.stderr
    work = house.folder / "work"
    work.mkdir(exist_ok=True)
    (work / "sanbo.yaml").write_text("llm:\n  toybox_api_key: planted-planted\n", "utf-8")
    done = house.sanbo("runs", "list")
    (work / "sanbo.yaml").unlink()
    assert "SANBO_LLM__TOYBOX_API_KEY" in done.stderr
    assert "planted-planted" not in done.stdout + done.stderr


def test_the_doctor_knows_it_and_auto_takes_it_by_its_key(house: House) -> None:
    checks = json.loads(house.sanbo("doctor", "--json", TOYBOX_KEY="a-key-of-no-shape").stdout)
    by_name = {check["name"]: check["text"] for check in checks["checks"]}
    assert "toybox" in by_name["engine"]
    assert "teddy-1" in by_name["engine"]
    assert "TOYBOX_KEY" in by_name["keys"]
    asked = house.sanbo("doctor", "--json", SANBO_LLM__PROVIDER="toybox").stdout
    assert "TOYBOX_KEY" in next(
        check["hint"] for check in json.loads(asked)["checks"] if check["name"] == "engine"
    )


def test_a_run_thinks_with_it_and_is_priced(house: House, tmp_path: Path) -> None:
    (tmp_path / "reading.yaml").write_text(PLAN, "utf-8")
    with ScriptedModel() as script:
        script.replies(Json({"records": [{"請求金額": 1000}], "quotes": []}))
        done = house.sanbo(
            "plan",
            "run",
            str(tmp_path / "reading.yaml"),
            "--json",
            TOYBOX_KEY=script.api_key,
            SANBO_LLM__TOYBOX_URL=f"{script.address}/v1",
        )
        assert done.returncode == 0, done.stdout + done.stderr
        (request,) = script.requests
    assert request.body["model"] == "teddy-1"
    run = json.loads(done.stdout)
    assert run["engine"]["provider"] == "toybox"
    assert run["result"]["exports"]["amount"] == 1000
    assert run["usage"]["cost_usd"] > 0
    assert script.api_key not in done.stdout + done.stderr
