"""How the two sides of a comparison are called, before and after it has been made."""

from collections.abc import Sequence
from typing import NamedTuple

from sanbo.kernel.messages import tell
from sanbo.runs.model import Run
from sanbo.service.comparison import Overview
from sanbo.ui.attachments import attached
from sanbo.ui.comparison.collection_pair import document_name
from sanbo.ui.comparison.given import SIDES, SOURCES, Source


class Names(NamedTuple):
    old: str
    new: str


def names_of(run: Run, overview: Overview | None) -> Names:
    """As the result calls them; without one, as they were given."""
    if overview is not None:
        old = [pair.old.name for pair in overview.pairs if pair.old is not None]
        new = [pair.new.name for pair in overview.pairs if pair.new is not None]
        return Names(_counted(old), _counted(new))
    return Names(*(_given(run, position) for position in (0, 1)))


def between(names: Names) -> str:
    return tell("ui.comparison.between", old=names.old, new=names.new)


def _given(run: Run, position: int) -> str:
    filled: list[Source] = [source for source in SOURCES if run.input.get(SIDES[source][position])]
    source = (*filled, *SOURCES)[0]
    value = run.input.get(SIDES[source][position])
    match source:
        case "files":
            return _counted([file.name for file in attached(value)])
        case "text":
            return tell("ui.comparison.pasted")
        case "collection":
            collection, document_id = str(run.input.get("collection") or ""), str(value or "")
            return document_name(collection, document_id) or document_id


def _counted(names: Sequence[str]) -> str:
    if not names:
        return "–"
    if len(names) == 1:
        return names[0]
    return tell("ui.comparison.others", name=names[0], count=len(names) - 1)
