import hashlib
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from sanbo.cli.bench import Bench
from sanbo.cli.commands.init import template
from sanbo.kernel.settings import is_secret, known_keys
from sanbo.service import catalog
from sanbo.settings import Settings, load_settings
from tests.unit.cli.conftest import Sanbo


def test_init_makes_a_workspace_once_and_overwrites_nothing(sanbo: Sanbo, workspace: Path) -> None:
    made = sanbo("init")
    assert made.code == 0
    for name in ("sanbo.yaml", "designs", "block_specs", "runs"):
        assert (workspace / name).exists()
        assert name in made.err
    (workspace / "sanbo.yaml").write_text("language: en\n")
    (workspace / "runs").rmdir()
    again = sanbo("init")
    assert again.code == 0
    assert "Made" in again.err
    assert (workspace / "sanbo.yaml").read_text() == "language: en\n"
    assert "Nothing was changed" in sanbo("init").err


def test_init_where_nothing_can_be_made_is_a_problem(sanbo: Sanbo, workspace: Path) -> None:
    workspace.write_text("a file")
    for arguments in (["init"], ["runs", "list"]):
        refused = sanbo(*arguments)
        assert refused.code == 1
        assert "PERMISSION_DENIED" in refused.err


def test_the_settings_file_explains_every_setting_and_is_valid(tmp_path: Path) -> None:
    assert yaml.safe_load(template()) is None
    live = re.sub(r"^( *)# ([\w-]+:( |$).*)$", r"\1\2", template(), flags=re.MULTILINE)
    (tmp_path / "sanbo.yaml").write_text(live, "utf-8")
    settings = load_settings(tmp_path, {})
    assert settings.llm.prices["my-model"].output == 1.5
    named = {line.strip().partition(":")[0] for line in live.splitlines()}
    explained = {key for key in known_keys(Settings) if key.rpartition(".")[2] in named}
    left_out = known_keys(Settings).keys() - explained
    assert {key for key in left_out if not is_secret(known_keys(Settings)[key])} == {"workspace"}


def test_a_healthy_machine_is_told_so(sanbo: Sanbo, workspace: Path) -> None:
    fresh = sanbo("doctor", "--json")
    assert fresh.code == 0
    assert not workspace.exists()
    assert {check["name"] for check in fresh.json["checks"]} >= {"python", "database", "engine"}
    sanbo("init")
    shown = sanbo("doctor")
    assert shown.code == 0
    assert "最新の状態です" in shown.out
    assert "OPENAI_API_KEY: 未設定" in shown.out


def test_the_doctor_reports_a_database_that_is_away_without_its_password(
    sanbo: Sanbo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANBO_DATABASE_URL", "postgresql://sanbo:hunter-secret@127.0.0.1:1/x")
    broken = sanbo("doctor")
    assert broken.code == 1
    assert "✗" in broken.out
    assert "SANBO_DATABASE_URL" in broken.out
    assert "hunter" not in broken.out + broken.err
    # What any other command says about it.
    other = sanbo("runs", "list")
    assert other.code == 1
    assert "STORAGE_UNAVAILABLE" in other.err
    assert "hunter" not in other.err


@pytest.mark.parametrize("url", ["no url at all", "mysql://u:hunter-secret@h/x"])
def test_the_doctor_reports_a_database_url_that_can_not_be(
    sanbo: Sanbo, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("SANBO_DATABASE_URL", url)
    broken = sanbo("doctor")
    assert broken.code == 1
    assert "postgresql://" in broken.out
    assert "hunter" not in broken.out


def test_the_doctor_shows_that_a_key_is_set_and_never_the_key(
    sanbo: Sanbo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-this-is-a-secret-key-0123456789")
    shown = sanbo("doctor", "--lang", "en")
    assert "OPENAI_API_KEY: set" in shown.out
    assert "openai with gpt" in shown.out
    assert "secret" not in shown.out


def test_the_doctor_warns_of_an_address_that_would_not_start(
    sanbo: Sanbo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANBO_SERVER__HOST", "0.0.0.0")
    warned = sanbo("doctor", "--json")
    assert warned.code == 0
    port = next(check for check in warned.json["checks"] if check["name"] == "port")
    assert port["level"] == "warning"
    assert "sanbo token create" in port["hint"]


@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize("first", [0, 4096])
def test_a_damaged_database_is_named_with_what_to_do_and_left_as_it_is(
    sanbo: Sanbo, workspace: Path, first: int, lang: str
) -> None:
    sanbo("token", "create", "aoki")
    file = workspace / "sanbo.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = file.read_bytes()
    file.write_bytes(damaged := whole[:first] + b"\xa5" * (len(whole) - first))
    examined = sanbo("doctor", "--lang", lang)
    assert (examined.code, str(file) in examined.out) == (1, True)
    for command in (("runs", "list"), ("token", "list")):
        refused = sanbo(*command, "--lang", lang)
        assert refused.code == 1
        assert str(file) in refused.err
        assert "STORAGE_UNAVAILABLE" in refused.err
        assert {"ja": "バックアップ", "en": "backup"}[lang] in refused.err
        assert "JSONL" in refused.err
        assert "Traceback" not in refused.err
    assert file.read_bytes() == damaged


def test_a_database_that_somebody_keeps_locked_is_a_problem(
    sanbo: Sanbo, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sanbo.storage.database.BUSY_SECONDS", 0.05)
    sanbo("token", "create", "aoki")
    with closing(sqlite3.connect(workspace / "sanbo.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        refused = sanbo("token", "create", "baba")
    assert refused.code == 1
    assert "STORAGE_UNAVAILABLE" in refused.err
    assert "Traceback" not in refused.err


def test_an_unknown_setting_names_the_nearest(
    sanbo: Sanbo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SANBO_LLM__PROVIDR", "rules")
    refused = sanbo("runs", "list", "--json")
    assert refused.code == 1
    assert "SANBO_LLM__PROVIDER" in refused.err
    assert refused.json["problem"]["code"] == "SETTINGS_INVALID"
    assert "SANBO_LLM__PROVIDER" in sanbo("doctor").out


def test_a_token_is_printed_once_and_only_its_hash_is_kept(sanbo: Sanbo, workspace: Path) -> None:
    made = sanbo("token", "create", "経理")
    token = made.out.strip()
    assert made.out == f"{token}\n"
    assert token.startswith("sanbo_")
    assert token not in made.err
    stored = b"".join(file.read_bytes() for file in workspace.rglob("*") if file.is_file())
    assert token.encode() not in stored
    assert hashlib.sha256(token.encode()).hexdigest().encode() in stored
    assert "経理" in sanbo("token", "list").out
    assert sanbo("token", "create", "経理").code == 1
    assert sanbo("token", "revoke", "経理").code == 0
    assert sanbo("token", "list", "--json").json == []
    assert sanbo("token", "revoke", "経理").code == 1


def test_the_server_refuses_an_open_address_without_a_token(sanbo: Sanbo) -> None:
    refused = sanbo("up", "--host", "0.0.0.0", "--port", "0")
    assert refused.code == 1
    assert "PERMISSION_DENIED" in refused.err
    assert "sanbo token create" in refused.err


def test_without_workflows_the_demo_says_so(sanbo: Sanbo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "DEMOS", ())
    shown = sanbo("demo")
    assert shown.code == 0
    assert "まだありません" in shown.err
    assert "データベース" in shown.out


def test_a_defect_is_a_problem_with_a_reference_and_its_traceback_is_in_the_log(
    sanbo: Sanbo, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def defect(*_: object) -> None:
        raise RuntimeError("sk-this-is-a-secret-key-0123456789")

    monkeypatch.setattr(Bench, "get", defect)
    failed = sanbo("runs", "show", "run_0", "--json")
    assert failed.code == 1
    assert failed.json["problem"]["code"] == "INTERNAL_ERROR"
    reference = failed.json["problem"]["params"]["reference"]
    assert reference in failed.err
    log = (workspace / "logs" / "sanbo.log").read_text("utf-8")
    assert reference in log
    assert "Traceback" in log
    assert "secret-key" not in log + failed.out + failed.err
