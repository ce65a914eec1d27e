"""Versions of plans: kept, decided on, never changed once approved; on both databases."""

import json
from collections.abc import Generator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.kernel.messages import LANGUAGES, use_language
from sanbo.kernel.problems import Conflict, InvalidInput, NotFound, PermissionDenied, SanboError
from sanbo.plans.load import load
from sanbo.plans.model import PlanSource, PlanText
from sanbo.plans.settings import PlanSettings
from sanbo.plans.store import read_versions, written_versions
from sanbo.plans.version_store import Decision, PlanVersion, PlanVersions, State, digest_of
from sanbo.settings import Settings
from sanbo.storage.database import Database, open_database

FREE = PlanSettings()
STRICT = PlanSettings(four_eyes=True, require_approval=True)


@pytest.fixture
def versions(settings: Settings) -> Generator[PlanVersions]:
    with closing(open_database(settings)) as database:
        yield PlanVersions(database)


def source(version: str = "1.0.0", limit: int = 1, called: str = "") -> PlanSource:
    text = f"id: 支払\nversion: {version}\nvars: {{limit: {limit}}}\ngraph: []\n"
    return PlanSource(plan=PlanText(text=text), called={"確認": PlanText(text=called)})


def save(
    versions: PlanVersions, made: PlanSource, actor: str = "aoki", *, may_replace: bool = False
) -> PlanVersion:
    plan = load(made.plan).plan
    assert plan is not None
    return versions.save(plan, made, {"a": "a@1.0.0"}, actor=actor, may_replace=may_replace)


def decide(
    versions: PlanVersions, *decisions: Decision, actor: str = "baba", rules: PlanSettings = STRICT
) -> PlanVersion:
    for each in decisions:
        versions.decide("支払", "1.0.0", each, actor=actor, settings=rules, comment="理由")
    return versions.get("支払", "1.0.0")


def refused(text_id: str, kind: type[SanboError]) -> "pytest.RaisesExc[SanboError]":
    return pytest.raises(kind, check=lambda error: error.problem.text_id == text_id)


def test_a_draft_is_saved_again_until_it_is_submitted(versions: PlanVersions) -> None:
    save(versions, source())
    assert save(versions, source(limit=2)).source.plan.text == source(limit=2).plan.text
    decide(versions, "submit", actor="aoki")
    with refused("plan_version_fixed", Conflict):
        save(versions, source(limit=3))
    decide(versions, "return")
    save(versions, source(limit=3))
    approved = decide(versions, "submit", "approve")
    for changed in (source(limit=4), source(limit=3, called="another")):
        with refused("plan_version_fixed", Conflict):
            save(versions, changed, may_replace=True)
    assert save(versions, source(limit=3)) == approved, "the same again changes nothing"
    decide(versions, "retire")
    with refused("plan_version_fixed", Conflict):
        save(versions, source(limit=4))
    seen = [(each.kind, each.actor) for each in versions.get("支払", "1.0.0").history]
    assert [kind for kind, _ in seen] == [
        "saved",
        "saved",
        "submit",
        "return",
        "saved",
        "submit",
        "approve",
        "retire",
    ]
    assert seen[6] == ("approve", "baba")


def test_only_these_ways_lead_from_state_to_state(versions: PlanVersions) -> None:
    ways: dict[State, set[Decision]] = {
        "draft": {"submit"},
        "in_review": {"approve", "return"},
        "approved": {"retire"},
        "retired": set(),
    }
    to: dict[State, tuple[Decision, ...]] = {
        "draft": (),
        "in_review": ("submit",),
        "approved": ("approve",),
        "retired": ("retire",),
    }
    save(versions, source())
    every: tuple[Decision, ...] = ("submit", "approve", "return", "retire")
    for state, allowed in ways.items():
        assert decide(versions, *to[state]).state == state
        for decision in every:
            if decision not in allowed:
                with refused(f"plan_decision.{decision}", Conflict):
                    decide(versions, decision)
        assert versions.get("支払", "1.0.0").state == state


def test_under_four_eyes_nobody_approves_what_they_have_written(versions: PlanVersions) -> None:
    save(versions, source())
    save(versions, source(limit=2), "local", may_replace=True)
    decide(versions, "submit", actor="aoki")
    for writer in ("aoki", "local"):
        with refused("plan_four_eyes", PermissionDenied):
            decide(versions, "approve", actor=writer)
    assert decide(versions, "approve").state == "approved"
    save(versions, source("2.0.0"))
    for decision in ("submit", "approve"):
        versions.decide("支払", "2.0.0", decision, actor="aoki", settings=FREE)
    assert versions.get("支払").version == "2.0.0"


def test_a_draft_belongs_to_who_made_it_and_a_return_has_a_reason(versions: PlanVersions) -> None:
    save(versions, source())
    with refused("plan_draft_of_other", PermissionDenied):
        save(versions, source(limit=2), "baba")
    decide(versions, "submit")
    with refused("plan_return_reason", InvalidInput):
        versions.decide("支払", "1.0.0", "return", actor="b", settings=FREE, comment=" ")
    with refused("plan_version_not_named", InvalidInput):
        versions.decide("支払", "", "approve", actor="b", settings=FREE)
    with refused("plan_version_not_found", NotFound):
        versions.get("支払", "9")
    with refused("plan_versions_none", NotFound):
        versions.get("支拂")


def test_only_the_approved_text_runs_where_approval_is_required(versions: PlanVersions) -> None:
    plan = load(source().plan).plan
    assert plan is not None
    with refused("plan_not_approved", PermissionDenied):
        versions.run_version(plan, source(), STRICT)
    assert versions.run_version(plan, source(), FREE).state is None
    save(versions, source())
    decide(versions, "submit")
    with refused("plan_not_approved", PermissionDenied):
        versions.run_version(plan, source(), STRICT)
    decide(versions, "approve")
    ran = versions.run_version(plan, source(), STRICT)
    assert (ran.state, ran.digest) == ("approved", digest_of(source()))
    for other in (source(limit=2), source(called="another")):
        with refused("plan_not_approved", PermissionDenied):
            versions.run_version(plan, other, STRICT)
        assert versions.run_version(plan, other, FREE).state is None
    decide(versions, "retire")
    with refused("plan_retired", Conflict):
        versions.run_version(plan, source(), FREE)


def test_versions_are_in_the_order_of_their_numbers(versions: PlanVersions) -> None:
    for version in ("1.2.0", "1.10.0", "試し", "1.9"):
        save(versions, source(version))
    assert [each.version for each in versions.list("支払")] == ["1.10.0", "1.9", "1.2.0", "試し"]


def test_a_file_brings_versions_with_their_history(
    versions: PlanVersions, settings: Settings
) -> None:
    save(versions, source())
    decide(versions, "submit", "approve")
    content = written_versions((versions.get("支払", "1.0.0"),))
    assert versions.take_in(read_versions(content), "local", trusted=True) == 0
    with closing(Database("sqlite://")) as other:
        other.migrate()
        elsewhere = PlanVersions(other)
        assert elsewhere.take_in(read_versions(content), "local", trusted=False) == 1
        taken = elsewhere.get("支払", "1.0.0")
        assert taken.state == "in_review", "an approval of elsewhere is none here"
        kinds = [(each.kind, each.is_imported) for each in taken.history]
        assert kinds == [("saved", True), ("submit", True), ("approve", True), ("imported", False)]
        with refused("plan_four_eyes", PermissionDenied):
            decide(elsewhere, "approve", actor="local")
        assert decide(elsewhere, "approve", actor="aoki").state == "approved"
    save(versions, source("2.0.0"))
    different = json.loads(content)
    different["versions"][0]["source"]["plan"]["text"] += "# 変更\n"
    with refused("plan_import_changed", InvalidInput):
        read_versions(json.dumps(different).encode())


@given(st.binary(max_size=200))
def test_a_file_that_is_none_is_refused(content: bytes) -> None:
    with refused("plan_import_unreadable", InvalidInput):
        read_versions(content)


def test_a_refusal_is_told_in_both_languages(versions: PlanVersions) -> None:
    save(versions, source())
    told: set[str] = set()
    for language in LANGUAGES:
        with use_language(language), pytest.raises(Conflict) as error:
            decide(versions, "approve")
        told.add(error.value.problem.message)
    assert told == {
        "「支払@1.0.0」は下書きのため、承認できません。",
        "支払@1.0.0 is draft: it can't be approved.",
    }
