from pathlib import Path

import pytest

from sanbo.kernel.problems import Code, InvalidSettings
from sanbo.kernel.secrets import redact
from sanbo.kernel.settings import known_keys
from sanbo.settings import Settings, load_settings


def _write(folder: Path, text: str) -> Path:
    (folder / "sanbo.yaml").write_text(text, "utf-8")
    return folder


def _problem(folder: Path, **environment: str) -> InvalidSettings:
    with pytest.raises(InvalidSettings) as refused:
        load_settings(folder, environment)
    assert refused.value.problem.code is Code.SETTINGS_INVALID
    return refused.value


def test_without_anything_the_defaults_are_japanese_on_loopback(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {})
    assert (settings.language, settings.server.host) == ("ja", "127.0.0.1")
    assert settings.llm.provider == "auto"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    _write(tmp_path, "language: en\nserver:\n  port: 9000\nllm:\n  model: m\n")
    settings = load_settings(tmp_path, {"SANBO_SERVER__PORT": "9001"})
    assert (settings.language, settings.server.port, settings.llm.model) == ("en", 9001, "m")


def test_the_workspace_can_come_from_the_environment(tmp_path: Path) -> None:
    assert load_settings(None, {"SANBO_WORKSPACE": str(tmp_path)}).workspace == tmp_path


@pytest.mark.parametrize(
    ("text", "key", "nearest"),
    [
        ("llm:\n  providr: rules\n", "llm.providr", "llm.provider"),
        ("sever:\n  port: 1\n", "sever.port", "server.port"),
        ("langage: ja\n", "langage", "language"),
        ("runs:\n  lease_second: 1\n", "runs.lease_second", "runs.lease_seconds"),
    ],
)
def test_an_unknown_key_in_the_file_names_the_nearest_known_one(
    tmp_path: Path, text: str, key: str, nearest: str
) -> None:
    problem = _problem(_write(tmp_path, text)).problem
    assert key in problem.message
    assert nearest in problem.hint


def test_an_unknown_variable_names_the_nearest_known_one(tmp_path: Path) -> None:
    problem = _problem(tmp_path, SANBO_LLM__PROVIDR="rules").problem
    assert "SANBO_LLM__PROVIDER" in problem.hint


def test_a_wrong_value_names_the_key_and_where_it_stands(tmp_path: Path) -> None:
    problem = _problem(tmp_path, SANBO_SERVER__PORT="八千").problem
    assert "server.port" in problem.message
    assert "SANBO_SERVER__PORT" in problem.message
    problem = _problem(_write(tmp_path, "server:\n  port: 99999\n")).problem
    assert "sanbo.yaml" in problem.message


@pytest.mark.parametrize("text", ["- a\n- b\n", "a: b: c\n", "just words"])
def test_a_file_that_is_not_settings_is_a_problem(tmp_path: Path, text: str) -> None:
    assert "sanbo.yaml" in _problem(_write(tmp_path, text)).problem.message


def test_a_file_in_another_encoding_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "sanbo.yaml").write_bytes("language: ja  # 日本語".encode("cp932"))
    assert "sanbo.yaml" in _problem(tmp_path).problem.message


def test_a_secret_in_the_file_is_refused_and_not_repeated(tmp_path: Path) -> None:
    error = _problem(_write(tmp_path, "llm:\n  openai_api_key: sk-planted-planted-planted\n"))
    assert "SANBO_LLM__OPENAI_API_KEY" in error.problem.hint
    assert "planted" not in error.problem.model_dump_json()
    _problem(_write(tmp_path, "database_url: postgresql://me:pw@host/db\n"))


def test_a_null_or_empty_value_counts_as_not_given(tmp_path: Path) -> None:
    _write(tmp_path, "llm:\n  model: null\n")
    settings = load_settings(tmp_path, {"OPENAI_API_KEY": "", "SANBO_LANGUAGE": ""})
    assert settings.llm.model_dump()["openai_api_key"] is None
    assert settings.language == "ja"


def test_common_variables_are_understood_and_their_secrets_masked(tmp_path: Path) -> None:
    settings = load_settings(
        tmp_path, {"OPENAI_API_KEY": "very-secret-key", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    )
    assert settings.llm.model_dump()["base_url"] == "http://127.0.0.1:1/v1"
    assert "very-secret-key" not in repr(settings)
    assert redact("the key is very-secret-key.") == "the key is ****."


def test_every_setting_is_documented() -> None:
    reference = Path("docs/reference/settings.md").read_text("utf-8")
    assert [key for key in known_keys(Settings) if f"`{key}`" not in reference] == []


@pytest.mark.parametrize(
    "text",
    ["server:\n", "server:\n  # port: 1\n", "server: {}\nllm:\nruns:\n"],
)
def test_a_section_with_nothing_in_it_counts_as_not_given(tmp_path: Path, text: str) -> None:
    assert load_settings(_write(tmp_path, text), {}).server.port == 8501
    assert load_settings(tmp_path, {"SANBO_SERVER__PORT": "9001"}).server.port == 9001


@pytest.mark.parametrize("text", ["server: 8080\n", "llm: [a]\n", "runs: words\n"])
def test_a_value_in_the_place_of_a_section_is_a_problem(tmp_path: Path, text: str) -> None:
    assert _problem(_write(tmp_path, text)).problem.text_id == "settings_not_a_section"


def test_a_folder_in_the_place_of_the_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "sanbo.yaml").mkdir()
    assert _problem(tmp_path).problem.text_id == "settings_file_refused"


def test_a_line_that_is_not_yaml_is_named_and_not_repeated(tmp_path: Path) -> None:
    problem = _problem(_write(tmp_path, "language: ja\nkey: planted: here\n")).problem
    assert "2:13" in problem.message
    assert "planted" not in problem.model_dump_json()
    _problem(_write(tmp_path, "language: 2024-13-45\n"))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u@h/db?password=Secret12345",
        "postgresql://u@h/db?sslmode=require&sslpassword=Secret12345",
        "postgresql://u:Secret12345@[h/db",
        "postgresql://u:p%40Secret12345@h/db",
    ],
)
def test_a_password_anywhere_in_the_address_is_masked_and_refused_in_the_file(
    tmp_path: Path, url: str
) -> None:
    load_settings(tmp_path, {"SANBO_DATABASE_URL": url})
    assert "Secret12345" not in redact(f"{url} p@Secret12345")
    refusal = _problem(_write(tmp_path, f'database_url: "{url}"\n'))
    assert refusal.problem.text_id == "settings_secret_in_file"


def test_a_password_that_is_an_ordinary_word_masks_no_text(tmp_path: Path) -> None:
    for url in (
        "postgresql://postgres:postgres@h/postgres",
        "postgresql://accounting:accounting@h/db",
        "postgresql+psycopg://u:warehouse@h/warehouse",
    ):
        load_settings(tmp_path, {"SANBO_DATABASE_URL": url})
    text = "postgres postgresql accounting warehouse"
    assert redact(text) == text


@pytest.mark.parametrize(
    "name", ["SANBO_SERVICE_HOST", "SANBO_SERVICE_PORT_HTTP", "SANBO_PORT", "SANBO_PORT_80_TCP"]
)
def test_what_kubernetes_sets_for_a_service_of_our_name_is_left_alone(
    tmp_path: Path, name: str
) -> None:
    assert load_settings(tmp_path, {name: "tcp://10.0.0.1:80"}).server.port == 8501
