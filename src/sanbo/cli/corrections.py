"""Going on with a corrected plan: which one, what it would do again, and whether that is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sanbo.cli.asking import GivenUp, confirmed
from sanbo.cli.plan_files import plan_source, uploaded_pictures
from sanbo.cli.screen import say
from sanbo.kernel.messages import tell

if TYPE_CHECKING:
    from sanbo.cli.bench import Bench
    from sanbo.runs.model import Correction, JsonObject

MOST_NAMED = 12


def correction_wanted(
    bench: Bench, run: str, plan: str | None, *, yes: bool, ask: bool
) -> JsonObject | None:
    """The change with which the run goes on, empty for none; None where nobody could be asked."""
    if plan is not None:
        source = plan_source(bench.settings, plan)
        pictures = uploaded_pictures(bench, source, plan) or {"pictures": {}}
        found = bench.correction(run, {"source": source.model_dump(mode="json"), **pictures})
        assert found is not None
        _show(found)
        return found.change
    found = bench.correction(run)
    if found is None:
        return {}
    _show(found)
    if yes:
        return found.change
    if not ask:
        say(tell("cli.correction.say_which"), "red")
        return None
    return found.change if _sure() else {}


def _sure() -> bool:
    try:
        return confirmed(tell("cli.correction.sure"))
    except GivenUp:
        return False


def _show(found: Correction) -> None:
    say(tell("cli.correction.differs", before=found.before, after=found.after))
    for name, steps in (("again", found.again), ("kept", found.kept)):
        shown = "、".join(steps[:MOST_NAMED]) + (" …" if len(steps) > MOST_NAMED else "")
        say(tell(f"cli.correction.{name}", steps=shown or tell("none")), "dim")
