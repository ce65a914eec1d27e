"""Plans as front ends get them: saved safely, told by status, with the fields of their forms."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import Conflict, InvalidInput
from sanbo.llm.engine import Engine, Usage
from sanbo.plans.workflow import Plans
from sanbo.runs.model import Run, Status, Step, StepStatus
from sanbo.service import plan_list, plans
from sanbo.service.plan_list import list_designs
from sanbo.service.plan_views import NodeState, figure_of_source, picture, states_of
from sanbo.service.plans import PlanSource, PlanText
from sanbo.service.presets import forms_of
from sanbo.settings import Settings

NOW = datetime(2026, 5, 29, tzinfo=UTC)
LOOPING = """\
apiVersion: v1
id: looping
version: 1.0.0
title: { ja: 繰り返す, en: Looping }
graph:
  - id: ask
    block: ui.interactive_input
    in:
      mode: collect
      requirements:
        - { id: papers, type: folder, label: 書類 }
        - { id: kind, type: select, label: 種類, options: "${vars.kinds}" }
  - id: each
    type: loop
    foreach: { input: "${ask.collected_data.papers}", itemVar: paper }
    body:
      plan:
        graph:
          - { id: read, block: file.extract_texts, in: { files: ["${paper}"] } }
          - id: check
            block: ui.interactive_input
            in: { mode: confirm, message: よろしいですか }
  - id: last
    block: flow.assert
    after: [each]
    in: { condition: true }
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(workspace=tmp_path / "workspace")


def source(text: str = LOOPING) -> PlanSource:
    return PlanSource(plan=PlanText(text=text))


def step(
    path: str, status: StepStatus, *, iterations: int = 0, of: int | None = None, ms: int = 0
) -> Step:
    return Step(
        path=tuple(path.split("/")),
        key=path,
        title="",
        status=status,
        attempt=1,
        started_at=NOW,
        duration_ms=ms,
        iterations=iterations,
        of=of,
    )


def run_with(*steps: Step) -> Run:
    return Run(
        run_id="run_1",
        workflow="plan",
        conversation_id="conv_1",
        status=Status.RUNNING,
        input={"source": source().model_dump(mode="json")},
        result=None,
        artifacts=(),
        open_interactions=(),
        problem=None,
        engine=Engine(provider="rules"),
        usage=Usage(),
        steps=steps,
        language="ja",
        owner="local",
        replay_of=None,
        last_seq=1,
        created_at=NOW,
        updated_at=NOW,
    )


def test_nodes_are_told_by_the_steps_of_all_their_iterations() -> None:
    run = run_with(
        step("ask", "succeeded", ms=1200),
        step("each", "running", iterations=3, of=10),
        step("each/#3", "running"),
        step("each/#3/read", "succeeded"),
        step("each/#3/check", "running"),
        step("each/#3/check/answer", "waiting"),
        step("each/#4", "running"),
        step("each/#4/read", "running"),
    )
    states = states_of(run, figure_of_source(source()))
    assert states[("ask",)] == NodeState("succeeded", duration_ms=1200)
    assert (states[("each",)].status, states[("each",)].progress) == ("running", "3/10")
    assert states[("each", "read")].status == "running"
    assert states[("each", "check")].status == "waiting", "its question is what it waits for"
    assert states[("last",)].status == "pending"


def test_what_was_in_a_loop_that_has_ended_has_ended_with_it() -> None:
    figure = figure_of_source(source())
    done = states_of(run_with(step("each", "succeeded", iterations=2, of=2)), figure)
    assert done[("each", "read")].status == "succeeded"
    skipped = states_of(run_with(step("each", "skipped")), figure)
    assert skipped[("each", "read")].status == "skipped"
    begun = states_of(run_with(step("each", "running", of=2)), figure)
    assert begun[("each", "read")].status == "pending"


def test_nothing_is_at_work_in_a_run_that_has_ended() -> None:
    run = run_with(
        step("each", "running", iterations=3, of=10),
        step("each/#3/check", "running"),
        step("each/#3/check/answer", "waiting"),
    ).model_copy(update={"status": Status.CANCELLED})
    states = states_of(run, figure_of_source(source()))
    assert {state.status for state in states.values()} == {"pending", "succeeded"}
    assert states[("each",)].progress == "3/10"


def test_a_picture_of_a_run_shows_how_far_loops_have_come() -> None:
    run = run_with(step("each", "running", iterations=3, of=10))
    with use_language("ja"):
        drawn = picture(source(), states_of(run, figure_of_source(source()))).decode()
    assert "3/10 実行中" in drawn


def test_the_fields_of_all_forms_are_known_before_the_run() -> None:
    forms = forms_of(source())
    fields = {("/".join(each.node), each.id): each.field for each in forms.fields}
    papers = fields["ask", "papers"]
    assert papers is not None
    assert papers.type == "folder"
    assert fields["ask", "kind"] is None, "its options are known to the run alone"
    assert ("each/check", "approved") in fields
    assert not forms.is_open
    told_later = "requirements: ${vars.fields}\n      options:"
    assert forms_of(source(LOOPING.replace("requirements:", told_later, 1))).is_open


def test_a_plan_is_saved_whole_and_read_back(settings: Settings) -> None:
    broken = LOOPING.replace("ui.interactive_input", "ui.interactive_inptu", 1)
    saved = plans.save_design(settings, broken, "経理/月次")
    assert saved.origin == "workspace"
    assert saved.file == "designs/経理/月次.yaml"
    assert not saved.valid, "what is wrong is told, and it is kept all the same"
    assert plans.read_design(settings, "経理/月次").text == broken
    with pytest.raises(Conflict):
        plans.save_design(settings, "x", "経理/月次")
    plans.save_design(settings, "x", "経理/月次", replace=True)
    listed = {each.plan_id: each for each in list_designs(settings)}
    assert listed["経理/月次"].title == ""
    files = [file.name for file in settings.workspace.rglob("*") if file.is_file()]
    assert files == ["月次.yaml"], "nothing half-written is left"


def test_a_link_out_of_the_designs_is_not_followed(settings: Settings, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (settings.workspace / "designs").mkdir(parents=True)
    (settings.workspace / "designs" / "way").symlink_to(outside)
    with pytest.raises(InvalidInput):
        plans.save_design(settings, LOOPING, "way/out")
    assert list(outside.iterdir()) == []


def test_a_plan_without_a_name_has_its_own_id(settings: Settings) -> None:
    assert plans.save_design(settings, LOOPING).plan_id == "looping"
    assert plans.save_design(settings, "id: half\ngraph: 1\n").plan_id == "half"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("graph: [", "plan_id_unreadable"),
        ("graph: []", "plan_id_missing"),
        ("id: ../x\ngraph: []", "plan_id_refused"),
    ],
)
def test_why_there_is_no_name_to_save_a_plan_under_is_told(
    settings: Settings, text: str, said: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        plans.save_design(settings, text)
    assert refused.value.problem.text_id == said


def test_shipped_samples_are_valid_and_bring_their_files(settings: Settings) -> None:
    for listed in list_designs(settings):
        assert listed.origin == "sample"
        assert plans.read_design(settings, listed.plan_id).findings == (), "lists rely on it"
    for plan_id in plan_list.sample_ids():
        shipped = plans.source_by_id(settings, plan_id)
        answers = plan_list.sample_answers(shipped)
        known = {f"{each.node[-1]}.{each.id}" for each in forms_of(shipped).fields}
        assert set(answers) <= known
        assert all(Path(value[1:]).is_file() for value in answers.values() if value[0] == "@")
    assert plan_list.sample_answers(source()) == {}


def test_plans_are_the_workflow_of_this_name() -> None:
    assert Plans.name == plans.PLAN


def test_values_are_read_as_a_plan_has_them() -> None:
    assert plans.value_written("10") == 10
    assert plans.value_written("[a, {b: 1.5}]") == ["a", {"b": 1.5}]
    assert plans.value_written("2026-05-29") == "2026-05-29"
    assert plans.value_written("0012") == "0012"
    with pytest.raises(plans.UnreadableValue):
        plans.value_written("[1")
