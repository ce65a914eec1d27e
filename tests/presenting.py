"""Runs as people see them: every moment of a run, in both languages."""

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from sanbo.kernel.messages import LANGUAGES, Language
from sanbo.runs.fold import RunFold
from sanbo.runs.model import Event, Status
from sanbo.runs.parts import Part, Parts, PartsUpdate, Progress
from sanbo.runs.workflow import Workflow

P = TypeVar("P", bound=Part)


class Presented:
    """What a workflow shows after each event of a run."""

    def __init__(self, workflow: Workflow[Any, Any], events: Sequence[Event]) -> None:
        self.moments: list[tuple[Status, dict[Language, Parts]]] = []
        fold = RunFold(for_viewing=True)
        for event in events:
            fold.apply(event)
            seen = fold.snapshot()
            shown: dict[Language, Parts] = {
                language: workflow.present(seen, language) for language in LANGUAGES
            }
            for parts in shown.values():
                ids = [part.id for part in parts]
                assert len(set(ids)) == len(ids), f"each part has its own id: {ids}"
                update = PartsUpdate(
                    run_id="r", seq=1, status=seen.run.status, ids=tuple(ids), parts=parts
                )
                assert PartsUpdate.model_validate_json(update.model_dump_json()) == update
            self.moments.append((seen.run.status, shown))

    def at(self, status: Status, language: Language = "ja") -> Parts:
        """The last moment of that status."""
        return [shown for each, shown in self.moments if each is status][-1][language]

    def end(self, language: Language = "ja") -> Parts:
        return self.moments[-1][1][language]

    def ever(self, language: Language = "ja") -> list[Progress]:
        """The progress of all moments."""
        return [
            one(shown[language], Progress) for _, shown in self.moments if _has(shown[language])
        ]


def _has(parts: Parts) -> bool:
    return any(isinstance(part, Progress) for part in parts)


def one(parts: Parts, kind: type[P], part_id: str = "") -> P:
    found = [part for part in parts if isinstance(part, kind) and part_id in ("", part.id)]
    assert found, f"no {kind.__name__} {part_id} in {[part.id for part in parts]}"
    return found[0]


def ids(parts: Parts) -> list[str]:
    return [part.id for part in parts]


def words(part: Part) -> str:
    """Everything that stands in a part."""
    return json.dumps(part.model_dump(mode="json"), ensure_ascii=False)
