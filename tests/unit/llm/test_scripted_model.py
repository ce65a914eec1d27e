"""The scripted model itself, as other tests use it."""

from pathlib import Path

import pytest

from sanbo.llm.engine import choose_engine
from sanbo.settings import load_settings
from tests.scripted_model import Reply, Request, ScriptedModel, Text
from tests.scripted_model.requests import Protocol
from tests.unit.llm.conftest import ASK, Bench


@pytest.mark.parametrize("provider", ["openai", "azure_openai", "google_genai"])
def test_its_environment_leads_a_process_to_it(provider: Protocol, tmp_path: Path) -> None:
    with ScriptedModel() as script:
        loaded = load_settings(tmp_path, script.environment(provider)).llm
        wanted = script.settings(provider)
        assert choose_engine(loaded) == choose_engine(wanted)
        assert script.api_key in script.environment(provider).values()
        assert script.api_key not in repr(wanted)


def test_a_reply_can_be_made_from_the_request(bench: Bench) -> None:
    def echo(request: Request) -> Reply:
        return Text(f"聞かれたこと：{request.prompt}")

    bench.script.otherwise(echo)
    assert bench.ask(lambda m: m.complete(ASK)) == "聞かれたこと：売上はいくらですか。"


def test_a_script_without_further_replies_says_so(bench: Bench) -> None:
    with pytest.raises(Exception, match="The script has no reply"):
        bench.ask(lambda m: m.complete(ASK))
