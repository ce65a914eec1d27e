"""GRACE's own file and variables: read beside the others, and refused with the key."""

from pathlib import Path

import pytest

from sanbo.kernel.problems import InvalidSettings
from sanbo.settings import load_settings


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


def _written(folder: Path, text: str) -> None:
    (folder / "config").mkdir(parents=True)
    (folder / "config" / "grace_config.yml").write_text(text, "utf-8")


def test_the_file_is_stronger_than_sanbo_yaml_and_variables_are_stronger_than_both(
    workspace: Path,
) -> None:
    _written(workspace, "thresholds: {silent: 0.95, notify: 0.8}\nmodel: of-the-file\n")
    (workspace / "sanbo.yaml").write_text(
        "grace: {thresholds: {silent: 0.99, confirm: 0.3}}", "utf-8"
    )
    grace = load_settings(
        workspace, {"GRACE_THRESHOLDS__NOTIFY": "0.75", "SANBO_GRACE__THRESHOLDS__NOTIFY": "0.72"}
    ).grace
    assert grace.thresholds.model_dump() == {"silent": 0.95, "notify": 0.75, "confirm": 0.3}
    assert grace.model == "of-the-file"


def test_the_file_of_the_folder_one_works_in_is_read_where_the_workspace_has_none(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _written(tmp_path, "limits: {max_replans: 1}")
    monkeypatch.chdir(tmp_path)
    assert load_settings(workspace, {}).grace.limits.max_replans == 1
    _written(workspace, "limits: {max_replans: 2}")
    assert load_settings(workspace, {}).grace.limits.max_replans == 2


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("thresholds: {silent: -0.1}", "grace.thresholds.silent"),
        ("thresholds: {silent: 1.1}", "grace.thresholds.silent"),
        ("thresholds: {silent: .nan}", "grace.thresholds.silent"),
        ("thresholds: {silent: 0.6}", "grace.thresholds"),
        ("thresholds: {confirm: 0}", "grace.thresholds"),
        ("thresholds: 3", "grace.thresholds"),
        ("thresholds: {sillent: 0.9}", "thresholds.silent"),
        ("search_weights: {coverage: -1}", "grace.search_weights.coverage"),
        (
            "search_weights: {search_quality: 0, coverage: 0, source_agreement: 0}",
            "grace.search_weights",
        ),
        ("reasoning_weights: {support: .inf}", "grace.reasoning_weights"),
        ("most_wrong_silent: 0", "grace.most_wrong_silent"),
        ("temperature: hot", "grace.temperature"),
        ("web_search_url: file:///etc", "grace.web_search_url"),
        ("web_search_api_key: abc", "web_search_api_key"),
        ("- a list", "grace_config.yml"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_key_and_a_hint(
    workspace: Path, text: str, key: str
) -> None:
    _written(workspace, text)
    with pytest.raises(InvalidSettings) as refused:
        load_settings(workspace, {})
    problem = refused.value.problem
    assert key in f"{problem.message} {problem.hint}"
    assert problem.hint


def test_a_variable_that_does_not_exist_names_the_nearest(workspace: Path) -> None:
    with pytest.raises(InvalidSettings) as refused:
        load_settings(workspace, {"GRACE_TRESHOLDS__SILENT": "0.9"})
    assert "GRACE_THRESHOLDS__SILENT" in refused.value.problem.hint


def test_an_empty_section_counts_as_not_given(workspace: Path) -> None:
    _written(workspace, "thresholds:\n")
    assert load_settings(workspace, {}).grace.thresholds.silent == 0.9


def test_collections_come_from_the_environment_as_json(workspace: Path) -> None:
    grace = load_settings(workspace, {"GRACE_COLLECTIONS": '["規程", "契約"]'}).grace
    assert grace.collections == ("規程", "契約")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("thresholds: {silent: -0.1}", "0以上の数にしてください。"),
        ("thresholds: {silent: 1.1}", "1以下の数にしてください。"),
        ("most_wrong_silent: 0", "0より大きい数にしてください。"),
        ("most_wrong_silent: 0.5", "0.5より小さい数にしてください。"),
        ("score: guessed", "'calibrated' or 'weighted'"),
        ("temperature: hot", "数を書いてください。"),
        ("adjust_thresholds: perhaps", "true か false を書いてください。"),
    ],
)
def test_the_reason_is_told_in_japanese(workspace: Path, text: str, told: str) -> None:
    _written(workspace, text)
    with pytest.raises(InvalidSettings) as refused:
        load_settings(workspace, {})
    assert told in refused.value.problem.message
