"""To its next stop: watches a run, asks what it asks, and ends with its exit code."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from sanbo.cli import conventions
from sanbo.cli.asking import GivenUp, answer_by_asking
from sanbo.cli.bench import Bench
from sanbo.cli.problems import show_problem
from sanbo.cli.progress import Watch
from sanbo.cli.run_view import show_outcome
from sanbo.cli.screen import can_ask, err, print_json, say
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict, InvalidInput
from sanbo.runs.model import Interaction, JsonObject, Run, Status


def run_to_stop(
    bench: Bench, run: Run, *, as_json: bool = False, answers: Sequence[JsonObject] = ()
) -> int:
    """`run` is what has been shown so far; `answers` are given to its questions, in order.

    The exit code: 0 succeeded, 1 failed or cancelled, 3 waiting for a person.
    """
    stop = asked_to_stop(bench, run, answers, may_ask=not as_json)
    return report(bench, stop.run, as_json=as_json, put_off=stop.put_off)


class Stop(NamedTuple):
    run: Run
    put_off: bool
    """A person has seen the question and did not want to answer it now."""


class Prepared(Protocol):
    """Answers that were given before the questions were asked."""

    def whole(self, interaction: Interaction) -> JsonObject | None:
        """An answer that needs nobody; None where there is none, or not the whole of one."""
        ...

    def refused(self, interaction: Interaction) -> None:
        """It did not fit: a person is asked for all of it."""

    def part(self, interaction: Interaction) -> JsonObject:
        """What need not be asked any more."""
        ...


def asked_to_stop(
    bench: Bench,
    run: Run,
    answers: Sequence[JsonObject] = (),
    *,
    may_ask: bool = True,
    prepared: Prepared | None = None,
) -> Stop:
    """As it stands when it has ended, or waits and there is nobody to ask."""
    ready = list(answers)
    try:
        while True:
            run = watch(bench, run)
            if run.status is not Status.WAITING:
                break
            if ready:
                bench.answer(run.run_id, ready.pop(0), run.open_interactions[0].interaction_id)
            elif prepared is not None and _answers(bench, run, prepared):
                continue
            elif can_ask() and may_ask:
                _ask(bench, run, prepared)
            else:
                break
    except GivenUp:
        err().print()
        return Stop(run, put_off=True)
    return Stop(run, put_off=False)


def report(bench: Bench, run: Run, *, as_json: bool = False, put_off: bool = False) -> int:
    """The run on standard output, its problem on standard error, and the exit code."""
    if as_json:
        print_json(run.model_dump(mode="json"))
    else:
        show_outcome(bench, run, bench.parts(run.run_id), put_off=put_off)
    if run.problem is not None:
        show_problem(run.problem)
    return exit_code(run)


def exit_code(run: Run) -> int:
    match run.status:
        case Status.SUCCEEDED:
            return conventions.SUCCEEDED
        case Status.WAITING:
            return conventions.WAITING
        case _:
            return conventions.FAILED


def watch(bench: Bench, run: Run) -> Run:
    """Shows what happens until the run has ended or waits for a person."""
    try:
        with Watch() as shown:
            for number, update in enumerate(bench.follow_to_stop(run.run_id, run.last_seq)):
                shown.show(update, was_told=number == 0)
            # Only when its writer has let go of it has it really stopped.
            return bench.wait(run.run_id)
    except KeyboardInterrupt:
        raise conventions.Interrupted(tell("cli.interrupted", run_id=run.run_id)) from None


def _answers(bench: Bench, run: Run, prepared: Prepared) -> bool:
    """Whether a question was answered by what was prepared."""
    for interaction in run.open_interactions:
        answer = prepared.whole(interaction)
        if answer is None:
            continue
        try:
            bench.answer(run.run_id, answer, interaction.interaction_id)
        except InvalidInput as refusal:
            show_problem(refusal.problem)
            prepared.refused(interaction)
        except Conflict as conflict:  # somebody answered in the browser meanwhile
            say(conflict.problem.message, "yellow")
            return True
        else:
            return True
    return False


def _ask(bench: Bench, run: Run, prepared: Prepared | None = None) -> None:
    interaction = run.open_interactions[0]
    try:
        given = prepared.part(interaction) if prepared is not None else None
        answer_by_asking(bench, run, interaction, given)
    except Conflict as conflict:  # somebody answered in the browser meanwhile: the run goes on
        say(conflict.problem.message, "yellow")
    except KeyboardInterrupt:
        raise conventions.Interrupted(tell("cli.interrupted_question", run_id=run.run_id)) from None


def say_started(run: Run) -> None:
    say(tell("cli.started", run_id=run.run_id), "dim")
