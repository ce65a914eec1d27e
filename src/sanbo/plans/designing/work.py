"""What a composition knows while it goes from clause to clause."""

import re
from dataclasses import dataclass, field

from sanbo.plans.designing import pairs
from sanbo.plans.designing.approvals import Approval
from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.material import Material
from sanbo.plans.designing.sources import (
    Source,
    mentioned,
)
from sanbo.plans.designing.vocabulary import (
    plain,
)


@dataclass
class Work:
    draft: Draft
    material: Material
    sources: list[Source]
    whole: str
    """All that is said, in plain form."""
    current: Rows | None = None
    extras: dict[str, Rows] = field(default_factory=dict[str, Rows])
    """Shown beside what flows."""
    approvals: list[Approval] = field(default_factory=list[Approval])
    columns: list[str] = field(default_factory=list[str])
    """Wanted in the result, in this order."""
    first: list[str] = field(default_factory=list[str])
    """Columns of the table that was there first."""
    asked: dict[str, str] = field(default_factory=dict[str, str])
    """References to what a person enters, by name."""
    linked: set[str] = field(default_factory=set[str])
    """Titles of sources that are part of what flows."""
    computed: str = ""
    """The column that was computed last."""
    judged: str = ""
    """The column of labels."""
    is_paired: bool = False
    used_tables: set[str] = field(default_factory=set[str])
    """Columns whose table of limits was used."""
    is_grouped: bool = False
    is_manual: bool = False
    sentences: list[str] = field(default_factory=list[str])
    """Those that were read, as they were written."""
    unplaced: list[str] = field(default_factory=list[str])

    def flow(self, rows: Rows) -> None:
        self.current = rows

    @property
    def tables(self) -> list[Source]:
        return [one for one in self.sources if one.kind != "schema"]

    def rows_for(self, text: str) -> Rows | None:
        """What flows, or the table that a text is about."""
        if self.current is None and self.tables:
            source = self._main(text)
            self.current = source.rows(self.draft)
            self.first = self.current.columns
            self.linked.add(source.title)
        return self.current

    def _main(self, text: str) -> Source:
        named = mentioned(self.tables, text) or mentioned(self.tables, self.whole) or self.tables
        if len(self.tables) < 2:
            return named[0]
        best = max(named, key=self._detail)
        return best if self._detail(best) > self._detail(named[0]) else named[0]

    def _detail(self, source: Source) -> int:
        """How often others are looked up from it."""
        rows = source.rows(self.draft) if source.kind != "documents" or source.fields else None
        if rows is None:
            return 0
        score = 0
        for other in self.tables:
            if other is source or (other.kind == "documents" and not other.fields):
                continue
            there = other.rows(self.draft)
            key = pairs.key_of(rows, there)
            if key:
                unique = pairs.is_unique(there, [b for _, b in key])
                score += int(unique and not pairs.is_unique(rows, [a for a, _ in key]))
        return score


def as_written(work: Work, name: str) -> str:
    """In the letters of the wanted columns, or of the instruction."""
    for column in work.columns:
        if plain(column) == name:
            return column
    texts = [work.draft.instruction, *(one.text for one in work.material.manuals)]
    found = re.search(re.escape(name), "\n".join(texts), re.IGNORECASE)
    return found[0] if found else name
