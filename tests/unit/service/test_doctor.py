"""What the doctor says about the sandbox of analysis."""

import os
from pathlib import Path

import pytest

from sanbo.kernel.messages import use_language
from sanbo.sandbox import guards
from sanbo.sandbox.client import Sandbox
from sanbo.sandbox.limits import Level
from sanbo.service import doctor
from sanbo.service.collections import open_collections
from sanbo.service.doctor import Check, examine
from sanbo.settings import load_settings


def sandbox_check(workspace: Path) -> Check:
    (found,) = [each for each in examine(load_settings(workspace, {})) if each.name == "sandbox"]
    return found


def test_the_level_in_force_is_told(tmp_path: Path) -> None:
    check = sandbox_check(tmp_path)
    has_both = guards.landlock_abi() > 0 and guards.is_known_here()
    assert check.level == ("ok" if has_both else "warning")
    assert "時間とメモリ" in check.text
    with use_language("en"):
        assert "time and memory" in sandbox_check(tmp_path).text


def test_a_weak_sandbox_is_a_warning_with_what_would_be_safer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # pyrefly: ignore[implicit-any-lambda]
    monkeypatch.setattr(Sandbox, "level", property(lambda _: Level("limits")))
    check = sandbox_check(tmp_path)
    assert check.level == "warning"
    assert "遮断されません" in check.text
    assert "Linux" in check.hint


def test_a_system_on_which_analysis_can_not_run_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "fork")
    check = sandbox_check(tmp_path)
    assert check.level == "broken"
    assert "WSL" in check.hint


def test_what_set_grace_up_and_what_it_lacks_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_sandbox", doctor._port)

    def grace() -> Check:
        (found,) = [each for each in examine(load_settings(tmp_path, {})) if each.name == "grace"]
        return found

    assert "config/grace_config.yml はありません" in grace().text
    file = tmp_path / "config" / "grace_config.yml"
    file.parent.mkdir()
    file.write_text("default_collection: 規程\ncollections: [規程, 規定]\n", "utf-8")
    assert (grace().level, "規程、規定" in grace().text) == ("warning", True)
    (tmp_path / "目的.txt").write_text("第1条 目的。", "utf-8")
    with open_collections(load_settings(tmp_path, {})) as collections:
        list(collections.index_paths("規程", [tmp_path / "目的.txt"]))
    assert grace().text.endswith("：規定")
    file.write_text("default_collection: 規程\n", "utf-8")
    assert (grace().level, str(file) in grace().text) == ("ok", True)
