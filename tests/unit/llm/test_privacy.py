"""Prompts go to the server that the run names, whatever else stands in the environment."""

import socket
import subprocess
import sys

import pytest
from langchain_core.tracers.langchain import wait_for_all_tracers

from tests.scripted_model import Text
from tests.scripted_model.requests import Protocol
from tests.unit.llm.conftest import ASK, Bench, read

every_provider = pytest.mark.parametrize("provider", ["openai", "azure_openai", "google_genai"])


@every_provider
def test_the_environment_of_other_tools_leads_nothing_elsewhere(
    bench: Bench, provider: Protocol, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        address = f"http://127.0.0.1:{elsewhere.getsockname()[1]}"
        for name in (
            "LANGSMITH_GATEWAY",
            "LANGSMITH_ENDPOINT",
            "LANGCHAIN_ENDPOINT",
            "OPENAI_API_BASE",
            "OPENAI_BASE_URL",
            "OPENAI_PROXY",
            "GOOGLE_GEMINI_BASE_URL",
        ):
            monkeypatch.setenv(name, address)
        for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "GOOGLE_GENAI_USE_VERTEXAI"):
            monkeypatch.setenv(name, "true")
        monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2_unused")
        bench.script.replies(Text("はい。"), Text("はい。"))
        model = bench.connect(provider)
        assert bench.ask(lambda m: m.complete(ASK), model) == "はい。"
        assert "".join(bench.ask(read, model)) == "はい。"
        wait_for_all_tracers()
        elsewhere.settimeout(0.3)
        with pytest.raises(TimeoutError):
            elsewhere.accept()
    assert len(bench.script.requests) == 2


def test_no_sdk_is_loaded_before_a_run_needs_it() -> None:
    program = (
        "import sys, sanbo.llm.model\n"
        "print([name for name in ('openai', 'google.genai', 'langchain_openai',"
        " 'langchain_google_genai') if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == "[]"
