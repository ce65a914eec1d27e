"""The fold: any journal that a run can write adds up, from any point on, to one state."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.kernel.problems import InvalidInput
from sanbo.llm.engine import Call, Engine
from sanbo.runs.fold import RunFold
from sanbo.runs.journal import recorded
from sanbo.runs.model import (
    Event,
    Interaction,
    InteractionAnswered,
    InteractionOpen,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Path,
    Payload,
    RunComplete,
    RunStart,
    RunWaiting,
    Status,
    TextDelta,
)
from sanbo.runs.workflow import only_finished

START = RunStart(
    workflow="w",
    conversation_id="c",
    input={},
    engine=Engine(provider="rules"),
    language="ja",
    owner="local",
)
PROBLEM = InvalidInput("answer_not_object", kind="x").problem


def journal(*entries: tuple[Path, Payload]) -> list[Event]:
    return [
        recorded("run_1", seq, path, payload)
        for seq, (path, payload) in enumerate([((), START), *entries], start=1)
    ]


def asks(name: str) -> tuple[Path, Payload]:
    interaction = Interaction(
        mode="confirm",
        message="?",
        interaction_id=name,
        path=(name,),
        opened_at=datetime.now(UTC),
        answer_schema={},
    )
    return (name,), InteractionOpen(key=name, interaction=interaction)


def starts(*path: str) -> tuple[Path, Payload]:
    return path, NodeStart(key=path[-1])


def ends(*path: str) -> tuple[Path, Payload]:
    return path, NodeComplete(key=path[-1], outputs=path[-1])


def answers(name: str) -> tuple[Path, Payload]:
    return (name,), InteractionAnswered(interaction_id=name, answer={"approved": True}, by="local")


def completes(status: Status) -> tuple[Path, Payload]:
    return (), RunComplete.model_validate({"status": status})


def rests(seen: int) -> tuple[Path, Payload]:
    return (), RunWaiting(seen=seen)


_STOPPED = [starts("a"), asks("a"), starts("b"), asks("b"), answers("b")]
"""Of two questions one is answered, and its step waits for the other."""


@pytest.mark.parametrize(
    ("entries", "status"),
    [
        ([], Status.QUEUED),
        ([starts("a")], Status.RUNNING),
        ([starts("a"), ends("a")], Status.RUNNING),
        ([starts("a"), asks("a")], Status.WAITING),
        ([starts("a"), asks("a"), starts("b")], Status.RUNNING),
        ([starts("a"), asks("a"), starts("b"), ends("b")], Status.WAITING),
        ([starts("a"), asks("a"), answers("a")], Status.RUNNING),
        ([starts("a"), asks("a"), starts("b"), asks("b"), answers("a")], Status.RUNNING),
        ([completes(Status.CANCELLED)], Status.CANCELLED),
        ([starts("a"), asks("a"), completes(Status.FAILED)], Status.FAILED),
        ([completes(Status.FAILED), ((), START)], Status.QUEUED),
        ([completes(Status.FAILED), ((), START), starts("a")], Status.RUNNING),
        ([*_STOPPED, rests(6)], Status.WAITING),
        ([*_STOPPED, answers("a"), rests(6)], Status.RUNNING),
        ([*_STOPPED, rests(6), answers("a")], Status.RUNNING),
        ([*_STOPPED, completes(Status.FAILED), ((), START), rests(8)], Status.WAITING),
        ([starts("a"), rests(2)], Status.RUNNING),
    ],
)
def test_the_status_is_what_the_events_add_up_to(
    entries: list[tuple[Path, Payload]], status: Status
) -> None:
    assert RunFold.of(journal(*entries)).run.status is status


def test_a_parent_of_a_step_that_waits_does_not_count_as_work() -> None:
    nested = asks("inner")[1]
    entries = [starts("outer"), (("outer", "inner"), NodeStart(key="inner"))]
    run = RunFold.of(journal(*entries, (("outer", "inner"), nested))).run
    assert run.status is Status.WAITING


def test_steps_know_how_they_ended() -> None:
    run = RunFold.of(
        journal(
            starts("a"),
            ends("a"),
            starts("b"),
            (("b",), NodeError(key="b", error=PROBLEM)),
            (("c",), NodeSkipped(key="c", reason="条件に合わない")),
        )
    ).run
    assert [step.status for step in run.steps] == ["succeeded", "failed", "skipped"]
    assert run.steps[1].problem == PROBLEM


def test_usage_is_the_sum_of_all_calls_wherever_they_stand() -> None:
    call = Call(
        provider="openai",
        model="m",
        purpose="",
        outcome="ok",
        input_tokens=10,
        output_tokens=5,
        cost_usd=0.5,
        duration_ms=1,
    )
    used = NodeComplete(key="a", calls=(call, call))
    done = RunComplete(status=Status.SUCCEEDED, calls=(call,))
    run = RunFold.of(journal(starts("a"), (("a",), used), ((), done))).run
    assert (run.usage.calls, run.usage.input_tokens, run.usage.cost_usd) == (3, 30, 1.5)


def test_a_gap_or_a_repeated_event_is_never_folded() -> None:
    events = journal(starts("a"), ends("a"))
    with pytest.raises(ValueError, match="follows"):
        RunFold.of([events[0], events[2]])
    with pytest.raises(ValueError, match="follows"):
        RunFold.of([events[0], events[0]])


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[Path, Payload]]:
    """Journals as a run may write them: steps, some of which ask, fail or are left open."""
    entries: list[tuple[Path, Payload]] = []
    for number in range(draw(st.integers(0, 8))):
        name = f"s{number}"
        fate = draw(st.sampled_from(["done", "failed", "asks", "answered", "open", "skipped"]))
        if fate == "skipped":
            entries.append(((name,), NodeSkipped(key=name, reason="r")))
            continue
        entries.append(starts(name))
        if fate in ("asks", "answered"):
            entries.append(asks(name))
        if fate == "answered":
            entries += [answers(name), ends(name)]
        if fate == "done":
            entries.append(ends(name))
        if fate == "failed":
            entries.append(((name,), NodeError(key=name, error=PROBLEM)))
    if draw(st.booleans()):
        entries.append(completes(draw(st.sampled_from([s for s in Status if s.is_final]))))
    return entries


@given(histories(), st.integers(0, 30))
def test_folding_on_from_any_point_gives_the_same_run(
    entries: list[tuple[Path, Payload]], cut: int
) -> None:
    events = journal(*entries)
    whole = RunFold.of(events)
    continued = RunFold.of(events[: cut + 1])
    for event in events[cut + 1 :]:
        continued.apply(event)
    assert continued.run == whole.run
    assert (whole.status is Status.WAITING) <= bool(whole.open_interactions)
    assert not (whole.status.is_final and whole.open_interactions)


@given(histories())
def test_events_survive_being_stored(entries: list[tuple[Path, Payload]]) -> None:
    for event in journal(*entries):
        assert Event.model_validate_json(event.model_dump_json()) == event


@given(histories())
def test_what_a_replay_keeps_are_finished_steps_only(
    entries: list[tuple[Path, Payload]],
) -> None:
    kept = only_finished(journal(*entries))
    renumbered = [
        event.model_copy(update={"seq": seq})
        for seq, event in enumerate([*journal(), *kept], start=1)
    ]
    fold = RunFold.of(renumbered)
    assert all(step.status in ("succeeded", "skipped") for step in fold.run.steps)
    assert fold.open_interactions == ()


def test_the_status_of_a_long_run_costs_no_more_than_that_of_a_short_one() -> None:
    events = journal(*(entry for n in range(3000) for entry in (starts(f"s{n}"), ends(f"s{n}"))))
    fold = RunFold()
    began = datetime.now(UTC)
    for event in events:
        fold.apply(event)
        _ = fold.status
    # A status that looked at all steps would need 18 million looks: minutes, not seconds.
    assert datetime.now(UTC) - began < timedelta(seconds=10)


def test_an_event_is_written_out_as_the_model_writes_it() -> None:
    problem = InvalidInput("archive_entry_link", name="x").problem
    payloads = (
        RunComplete(status=Status.SUCCEEDED, result={"表": [1, None, "あ"]}, total_duration_ms=3),
        NodeError(key="k", error=problem, duration_ms=1),
        TextDelta(text="途中"),
    )
    for seq, payload in enumerate(payloads):
        event = recorded("run-1", seq or None, ("a", "#0"), payload)
        assert event.json_text() == event.model_dump_json()
