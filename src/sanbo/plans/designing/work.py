"""What a composition knows while it goes from clause to clause; among it the values that a person
enters when the plan starts, and the rows that they decide.
"""

import re
from dataclasses import dataclass, field

from sanbo.plans.designing import pairs, row_steps
from sanbo.plans.designing.approvals import Approval
from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.row_reading import (
    Condition,
    columns_named,
    read_rows,
)
from sanbo.plans.designing.sources import (
    Material,
    Source,
    mentioned,
)
from sanbo.plans.designing.wording import plain


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


_ASKED = re.compile(
    r"([一-龠ァ-ヶーa-z]{2,12})(?:は|を|について)[^。]{0,20}?(?:画面|その都度|都度|実行時|実行のとき|毎回|担当者が|聞いて)|"
    r"(?:ask me for|ask for|asks for|prompt for|enters?|specif[a-z]{1,8}) (?:the |an? )([a-z "
    r"]{3,24}?)(?= at| when| each|,|\.|$)|the ([a-z ]{3,24}?) (?:is|are) (?:entered|asked "
    r"for|typed in|specified)"
)


_UNTIL = re.compile("まで|以前|以内|までの|until|up to|by then|before|on or before|no later")


_SINCE = re.compile("以降|から|since|from|after|on or after")


_STAND_INS = {"date": "2070-07-07", "number": "70707070"}


def ask_named(work: Work, said: str) -> None:
    """Names of values that sentences before this one may speak of."""
    match = _ASKED.search(said)
    if match is None or any(one.kind == "template" for one in work.material.files):
        return
    name = next(part for part in match.groups() if part).strip()
    if name in ("日付", "date", "金額", "amount", "値", "期間") or any(
        plain(column) == name for one in work.tables for column in one.rows(work.draft).columns
    ):
        return
    is_date = re.search("日|date|day", name)
    work.asked[name] = work.draft.ask("date" if is_date else "number", as_written(work, name))


def ask_bound(work: Work, said: str) -> bool:
    """A day or a figure that is another each time, and the rows that it decides."""
    if any(one.kind == "template" for one in work.material.files):
        return True
    rows = work.rows_for(said)
    if rows is None or rows.profile is None:
        return False
    if any(name in said for name in work.asked):
        return True
    days = [one.name for one in rows.profile.columns if one.is_temporal]
    is_day = bool(re.search("日|date|day|期限|deadline|いつ", said))
    named = [name for name in columns_named(work.whole, rows.profile) if name in days]
    figures = [
        name
        for name in columns_named(work.whole, rows.profile)
        if name not in days
        and (column := rows.profile.column(name)) is not None
        and column.is_numeric
    ]
    if is_day and days:
        column, kind = (named or days)[0], "date"
    elif figures and re.search(
        "金額|額|数|上限|下限|基準|amount|threshold|limit|number|minimum|maximum", said
    ):
        column, kind = figures[0], "number"
    else:
        return False
    is_least = (bool(_SINCE.search(said)) and not _UNTIL.search(said)) or bool(
        re.search("下限|以上|minimum|at least", said)
    )
    label = work.draft.say("bound_from" if is_least else "bound_to", column=column)
    ref = work.draft.ask(kind, label)
    condition = {"field": column, "operator": "gte" if is_least else "lte", "value": ref}
    work.flow(row_steps.keep(work.draft, rows, [condition]))
    return True


def asked_bounds(work: Work, rows: Rows, text: str) -> list[Condition]:
    """満了日が指定日以前: read with a value that stands for what a person enters."""
    assert rows.profile is not None
    made: list[Condition] = []
    for name, ref in work.asked.items():
        if name not in plain(text):
            continue
        for stand_in in _STAND_INS.values():
            said = plain(text).replace(name, stand_in)
            for reading in read_rows(said, rows.profile):
                own = [
                    one
                    for one in reading.conditions
                    if str(one.get("value")).removesuffix(".0") == stand_in
                    and one["operator"] in ("gt", "gte", "lt", "lte")
                ]
                if own and not made:
                    made = [
                        {**one, "value": ref} if one in own else one for one in reading.conditions
                    ]
    return made
