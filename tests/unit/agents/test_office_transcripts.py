"""Questions of office documents as a reader in a model's place has answered them: played again.

A passage's id depends on what else was found; the reader's quotes say which passage was meant.
"""

import importlib
import json
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from sanbo.service.bootstrap import blocking_workbench
from sanbo.settings import load_settings
from tests.examples import spread
from tests.scripted_model import Reply, Request, ScriptedModel, Text

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
KEPT: dict[str, Any] = json.loads((BENCHMARKS / "office/replies.json").read_text("utf-8"))


@pytest.mark.parametrize("language", ["ja", pytest.param("en", marks=pytest.mark.thorough)])
def test_kept_answers_come_to_the_same_end(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    live, data = (importlib.import_module(name) for name in ("live_office", "office_data"))
    told: dict[str, str] = {}
    with data.collection_of(language) as (workspace, _), ScriptedModel() as model:
        settings = load_settings(workspace, {}).model_copy(update={"llm": model.settings()})
        with blocking_workbench(settings) as bench:
            for case in spread(live.drawn(language, KEPT["draw"]), 4):
                model.replies(*(Again(reply) for reply in KEPT["replies"][case.name]))
                run = live.told_by(bench, case)
                answered, text = live.answer_of(case.workflow, run)
                told[case.name] = live.outcome_of(case.asked, text, answered=answered)
                assert model.remaining == 0, case.name
    assert told == {name: KEPT["outcomes"][name] for name in told}


class Again:
    """A reply with the ids that its passages have this time."""

    def __init__(self, reply: str) -> None:
        self._reply = reply

    def __call__(self, request: Request) -> Reply:
        passages = _passages(request)
        values = [_pointed(value, passages) for value in _values(self._reply)]
        return Text("\n".join(json.dumps(value, ensure_ascii=False) for value in values))


def _passages(request: Request) -> dict[str, str]:
    data = request.turns[-1][1].partition("<data>")[2].partition("</data>")[0]
    return {each["id"]: each["text"] for each in json.loads(data)["passages"]}


def _values(text: str) -> list[Any]:
    """One JSON value, or several one after the other."""
    found: list[Any] = []
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        found.append(value)
        at += len(text[at:]) - len(text[at:].lstrip())
    return found


def _pointed(value: Any, passages: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_pointed(each, passages) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    told = {name: _pointed(each, passages) for name, each in fields.items()}
    if "quote" in told and told["quote"] not in passages.get(told["passage"], ""):
        meant = [name for name, text in passages.items() if told["quote"] in text]
        assert meant, f"no passage says {told['quote']!r} any more"
        told["passage"] = meant[0]
    return told
