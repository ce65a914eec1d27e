"""A run on its way to its next stop: its steps, what it asks, and the command's exit code."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from rich.console import Group
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text as Words

from sanbo.cli import conventions
from sanbo.cli.asking import GivenUp, answer_by_asking
from sanbo.cli.bench import Bench
from sanbo.cli.parts_view import count_words, duration, newest_lines, score_bar, step_mark
from sanbo.cli.problems import show_problem
from sanbo.cli.run_view import show_outcome
from sanbo.cli.screen import can_ask, err, harmless, is_live, mark, print_json, say, words
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict, InvalidInput
from sanbo.runs.model import Interaction, JsonObject, Run, Status
from sanbo.runs.parts import Part, PartsUpdate, Progress, ProgressStep, Text

if TYPE_CHECKING:
    from types import TracebackType

    from rich.console import Console


ROWS_FOR_STEPS = 6
"""Of the screen, above a text that is being written."""
MOST_AT_WORK = 12
REFRESHES_A_SECOND = 8
_ENDED = ("succeeded", "failed", "skipped")


class Watch:
    """`show` takes updates as they come; where nobody watches, only what has ended is written."""

    def __init__(self) -> None:
        self._console: Console = err()
        self._parts: dict[str, Part] = {}
        self._told: set[tuple[str, str, str]] = set()
        self._began: dict[str, float] = {}
        self._spinner = Spinner("dots" if self._console.encoding.startswith("utf") else "line")
        self._live = (
            Live(
                console=self._console,
                get_renderable=self._at_work,
                refresh_per_second=REFRESHES_A_SECOND,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            if is_live(self._console)
            else None
        )

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, update: PartsUpdate, *, was_told: bool = False) -> None:
        """`was_told`: it is what an earlier command has shown."""
        known = {**self._parts, **{part.id: part for part in update.parts}}
        self._parts = {part_id: known[part_id] for part_id in update.ids if part_id in known}
        steps = self._steps()
        counted = {step.path for step in steps if step.done is not None}
        lines: list[Words] = []
        for step in steps:
            if step.status == "running":
                self._began.setdefault(step.id, time.monotonic())
            news = _news(step)
            if news is None or news in self._told:
                continue
            self._told.add(news)
            # Inside loops only what went wrong is told: they may have thousands of items.
            is_inside = any(step.path[:depth] in counted for depth in range(1, len(step.path)))
            if not was_told and (step.status == "failed" or not is_inside):
                lines += self._lines(step)
        if lines:  # in one: each print lays out, and may redraw what is live
            self._console.print(Words("\n").join(lines), soft_wrap=True)

    def _lines(self, step: ProgressStep) -> list[Words]:
        details = step.detail.split("\n") if step.detail else []
        is_short = len(details) == 1 and step.status != "failed"
        is_tried_again = step.status == "running"
        console = self._console
        line = mark(console, "warning") if is_tried_again else step_mark(console, step)
        line.append(" ")
        if step.score is not None:
            line.append_text(score_bar(self._console, step.score, step.tone)).append("  ")
        line.append(harmless(step.title)).append(count_words(step), style="dim")
        beside = [details[0] if is_short else "", duration(step.duration_ms)]
        line.append("".join(f"  {harmless(each)}" for each in beside if each), style="dim")
        below = () if is_short else details
        return [line, *(words(f"    {detail}", "dim") for detail in below)]

    def _steps(self) -> tuple[ProgressStep, ...]:
        return tuple(
            step
            for part in self._parts.values()
            if isinstance(part, Progress)
            for step in part.steps
        )

    def _at_work(self) -> Group:
        rows = Table.grid(padding=(0, 1))
        steps = self._steps()
        at_work = [step for step in steps if step.status in ("running", "waiting")]
        coming = [step for step in steps if step.status == "pending"]
        for step in at_work[:MOST_AT_WORK]:
            since = time.monotonic() - self._began.get(step.id, time.monotonic())
            elapsed = duration(int(since * 1000), whole=True)
            note = f"{count_words(step)} {step.detail.split(chr(10))[-1]} {elapsed}"
            rows.add_row(self._spinner, words(step.title), words(note.strip(), "dim"))
        if len(at_work) > MOST_AT_WORK:
            more = tell("cli.show.more", count=len(at_work) - MOST_AT_WORK)
            rows.add_row(Words(), words(more, "dim"), Words())
        for step in coming[: max(0, MOST_AT_WORK - len(at_work))]:
            rows.add_row(Words(" "), words(step.title, "dim"), Words())
        if not at_work:
            rows.add_row(self._spinner, words(tell("cli.progress.waiting"), "dim"), Words())
        room = max(1, self._console.height - ROWS_FOR_STEPS - rows.row_count)
        texts = (part for part in self._parts.values() if isinstance(part, Text))
        growing = (part.markdown for part in texts if part.is_growing)
        return Group(rows, *(newest_lines(self._console, text, room) for text in growing))


def _news(step: ProgressStep) -> tuple[str, str, str] | None:
    """By which a line is told once: an end, or that something has to be tried again."""
    if step.status in _ENDED:
        return step.id, step.status, ""
    if step.status == "running" and step.tone == "caution" and step.detail:
        return step.id, step.status, step.detail
    return None


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
