import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sanbo.cli.root import COMMANDS, everywhere_first, translate
from sanbo.kernel.messages import use_language
from sanbo.service.catalog import WORKFLOWS
from sanbo.storage.database import Database
from tests.unit.cli.conftest import ROOT, Sanbo

HEAVY = {"langgraph", "langchain_core", "sqlalchemy", "streamlit", "pydantic", "openai", "httpx"}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_nothing_heavy(option: str) -> None:
    script = (
        "import sys; from sanbo.cli.main import run; "
        f"assert run([{option!r}]) == 0; print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert loaded & HEAVY == set()


def test_help_of_the_commands_loads_no_service() -> None:
    script = (
        "import sys; from sanbo.cli.main import run; "
        "assert run(['runs', 'start', '--help']) == 0; print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert loaded & (HEAVY - {"pydantic"}) == set()


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["runs", "list"], marks=pytest.mark.thorough),
        ["plan", "validate", "monthly_closing"],
    ],
)
def test_what_needs_no_agent_loads_none(command: list[str], tmp_path: Path) -> None:
    """They take a second; with LangGraph and all agents it was four."""
    script = (
        "import sys; from sanbo.cli.main import run; "
        f"assert run([*{command!r}, '--workspace', {str(tmp_path)!r}]) == 0; "
        "print('loaded:', *sys.modules, file=sys.stderr)"
    )
    Database.in_workspace(tmp_path, None).migrate()
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    loaded = set(done.stderr.rpartition("loaded:")[2].split())
    heavy = {"langgraph", "langsmith", "alembic", "scipy", "pandas", "psycopg"}
    assert loaded & {*heavy, "sqlalchemy.dialects.postgresql"} == set()
    assert loaded & {f"sanbo.agents.{name}.workflow" for name in WORKFLOWS} == set()


def test_an_analysis_loads_no_table_library_and_no_database_that_is_not_used() -> None:
    """Tables are read and computed in guarded processes, which have them loaded."""
    script = (
        "import sys, sanbo.agents.analysis.workflow, sanbo.service.bootstrap; print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    heavy = {
        "numpy",
        "pandas",
        "pyarrow",
        "psycopg",
        "jsonschema",
        "sqlalchemy.dialects.postgresql",
    }
    assert set(done.stdout.split()) & heavy == set()


def test_help_is_japanese_unless_english_is_wanted(
    sanbo: Sanbo, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "ワークベンチ" in sanbo("--help").out
    assert "Start the workbench" in sanbo("--help", "--lang", "en").out
    assert "実行ID" in sanbo("runs", "show", "--help").out
    assert "Usage: sanbo runs show RUN" in sanbo("--lang=en", "runs", "show", "-h").out
    monkeypatch.setenv("SANBO_LANGUAGE", "en")
    assert "Start the workbench" in sanbo("--help").out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_text_exists_in_both_languages(name: str) -> None:
    for language in ("ja", "en"):
        with use_language(language):
            app: Any = import_module(f"sanbo.cli.commands.{name}").app
            assert _untranslated(translate(_command(app))) == []


def _command(app: Any) -> Any:
    return import_module("typer.main").get_command(app)


def _untranslated(command: Any) -> list[str]:
    texts: list[str | None] = [command.help, *(each.help for each in command.params)]
    for below in getattr(command, "commands", {}).values():
        texts += _untranslated(below)
    return [text or "none" for text in texts if text is None or text.startswith("cli.")]


def test_no_command_at_all_shows_the_help(sanbo: Sanbo) -> None:
    shown = sanbo()
    assert shown.code == 2
    assert "sanbo doctor" in shown.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["rns"], "runs の誤りではありませんか"),
        (["runs", "shw"], "show の誤りではありませんか"),
        (["全然違う"], "「全然違う」というコマンドはありません"),
        (["runs", "show"], "RUN を指定してください"),
        (["runs", "show", "x", "--bogus"], "--bogus"),
        (["runs", "list", "--status", "done"], "succeeded"),
        (["up", "--port", "99999"], "0から65535まで"),
        (["runs", "start", "expenses", "--input", "{"], "JSONとして読めません"),
        (["runs", "start", "expenses", "--input", "[]"], "項目と値の組"),
        (["runs", "start", "expenses", "--file", "title"], "「項目=パス」"),
        (["--lang", "fr", "doctor"], "ja / en"),
    ],
)
def test_a_wrong_command_line_is_explained(sanbo: Sanbo, arguments: list[str], told: str) -> None:
    refused = sanbo(*arguments)
    assert refused.code == 2
    assert told in refused.err
    assert refused.out == ""


def test_options_for_every_command_may_follow_it() -> None:
    assert everywhere_first(["runs", "list", "--lang", "en", "--workspace=w", "--json"]) == [
        "--lang",
        "en",
        "--workspace=w",
        "runs",
        "list",
        "--json",
    ]
    assert everywhere_first(["x", "--", "--lang", "en"]) == ["x", "--", "--lang", "en"]
