"""What is done about a question: answer it at once, offer its readings, or decline.

Questions that fit a table, from columns that make sense; whoever shows them tries them first.
"""

import re
from collections.abc import Sequence
from typing import cast

from sanbo.agents.analysis.building.unsaid import disputes
from sanbo.agents.analysis.conclusion import conclude
from sanbo.agents.analysis.decision import Decision, Offered, OutOfScope, View
from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile, TableProfile
from sanbo.agents.analysis.reader.reading import Reading, Readings
from sanbo.agents.analysis.spec.chips import reading_text
from sanbo.kernel.messages import Language, tell, use_language
from sanbo.kernel.nearest import nearest
from sanbo.language.numerals import narrow
from sanbo.sandbox.calls import apart

MOST = 6
_FEWEST_VALUES, _MOST_VALUES = 2, 50
_LONGEST_NAME = 30
_YEARS = (1900, 2100)
_TIMES = frozenset(
    ("year", "month", "day", "date", "hour", "week", "weekday", "quarter")
) | frozenset("年月日時週")


def fitting_questions(profile: TableProfile, language: Language) -> tuple[str, ...]:
    """The plainest first: a figure by a group, over time, as a share, the first of a ranking."""
    sums, rates = measures(profile)
    groups = [column for column in profile.columns if is_group(column, profile.rows)]
    times = [column for column in profile.columns if column.is_temporal and column.distinct > 1]
    found: list[str] = []

    def add(text: str, **columns: ColumnProfile) -> None:
        if all(len(column.name) <= _LONGEST_NAME for column in columns.values()):
            names = {role: column.name for role, column in columns.items()}
            found.append(tell(f"analysis_questions.{text}", language, **names))

    for group in groups[:2]:
        if sums:
            add("total_by_group", group=group, measure=sums[0])
        elif not rates:
            add("count_by_group", group=group)
    if times:
        if sums:
            add("total_by_month", measure=sums[0])
        else:
            add("count_by_month")
    if groups and rates:
        add("mean_by_group", group=groups[0], measure=rates[0])
    if groups and sums:
        add("share", group=groups[-1], measure=sums[0])
        if groups[0].distinct > 3:
            add("top", group=groups[0], measure=sums[-1])
    if len([*sums, *rates]) > 1:
        first, second, *_ = [*sums, *rates]
        add("correlation", first=first, second=second)
    if not found:
        for measure in [*sums, *rates][:1]:
            add("distribution", measure=measure)
    return tuple(dict.fromkeys(found))[:MOST]


def measures(profile: TableProfile) -> tuple[list[ColumnProfile], list[ColumnProfile]]:
    """What is added up, and what is averaged only: rates, prices, ages."""
    numbers = [column for column in profile.columns if is_measure(column)]
    numbers.sort(key=_weight, reverse=True)
    return (
        [column for column in numbers if not column.is_rate],
        [column for column in numbers if column.is_rate],
    )


def _weight(column: ColumnProfile) -> tuple[bool, float]:
    """Money before the rest, large figures before small ones: sales before days."""
    return column.type == "currency", float(column.maximum or 0)


def is_measure(column: ColumnProfile) -> bool:
    """A column of figures: no numbers that name things, and no years."""
    low, high = column.minimum, column.maximum
    are_years = (
        column.type == "integer"
        and isinstance(low, int)
        and isinstance(high, int)
        and _YEARS[0] <= low <= high <= _YEARS[1]
    )
    is_varied = column.distinct > 1 and column.name.lower() not in _TIMES
    return column.is_numeric and is_varied and not column.is_identifier and not are_years


def is_group(column: ColumnProfile, rows: int) -> bool:
    """A column of words of which several rows have the same."""
    is_of_words = column.type in ("text", "boolean") and not column.is_identifier
    has_few = _FEWEST_VALUES <= column.distinct <= _MOST_VALUES
    return is_of_words and column.is_whole and has_few and column.distinct < rows - column.missing


MOST_SUGGESTIONS = 3
_MOST_BEFORE = 3
"""Questions that one may go on from."""
_CHOICE = re.compile(
    r"\s*+(?:#|no\.? ?)?([1-9])\s*+(?:番目?|つ目|[.。)])?\s*+(?:です|で|を|お願いします)?[.。]?\s*+"
)


def decide_on(view: View) -> Decision:
    with use_language(view.language):
        if view.dataset is None:
            question = tell("analysis_thinking.no_table", view.language)
            return Decision(next_action="ask", clarifying_questions=(question,))
        if view.last_error is not None:
            return _failed(view)
        return _decide(view, view.dataset)


def _decide(view: View, dataset: DatasetProfile) -> Decision:
    first = int(view.next_result_id[1:])
    choice = chosen(view)
    if choice is not None and choice.specs:
        return Decision(next_action="act", specs=choice.specs, rationale="chosen by the person")
    readings = readings_of(view.questions, dataset, first)
    if (sure := readings.sure) is not None:
        return Decision(
            next_action="act",
            specs=sure.specs,
            assumptions=_set_aside(sure),
            rationale=f"one reading, chance {sure.chance:.2f}",
        )
    if readings.scope is not None:
        return Decision(
            next_action="out_of_scope",
            scope=cast("OutOfScope", readings.scope),
            rationale=f"asks for {readings.scope}",
            suggestions=suggestions(dataset, view.language),
        )
    return _ask(view, dataset, readings)


def _set_aside(reading: Reading) -> tuple[str, ...]:
    """Words that have no part in it: they are named."""
    if not reading.unread:
        return ()
    return (tell("analysis_rules.set_aside", words=quoted(reading.unread)),)


def readings_of(questions: Sequence[str], dataset: DatasetProfile, first: int = 1) -> Readings:
    """Of the last question, which may go on from those before it; a number asks nothing."""
    from sanbo.agents.analysis.reader import readings  # noqa: PLC0415 - NumPy, for questions

    asked = [one for one in questions if not is_choice(one)] or questions[-1:]
    before = [one for one in asked[:-1] if one != asked[-1]]
    found = readings.readings_of([*before[-_MOST_BEFORE:], asked[-1]], dataset, first)
    # What was chosen by its number is in no question: whoever goes on from it is asked.
    is_chosen = is_choice(questions[-1]) or (len(asked) < len(questions) and before)
    return found._replace(is_sure=False) if is_chosen else found


def chosen(view: View) -> Offered | None:
    """The reading that the person has answered with the number of."""
    choice = _CHOICE.fullmatch(narrow(view.questions[-1]))
    if choice is None or int(choice[1]) > len(view.offered):
        return None
    return view.offered[int(choice[1]) - 1]


def no_such_choice(view: View) -> Decision | None:
    """A number that none of the readings has: they are shown again, whoever thinks."""
    choice = _CHOICE.fullmatch(narrow(view.questions[-1]))
    if not view.offered or choice is None or chosen(view) is not None:
        return None
    said = tell("analysis_rules.no_such_choice", view.language, number=choice[1])
    return Decision(
        next_action="ask",
        rationale="no reading has this number",
        clarifying_questions=(said, which_of(view.offered, view.language)),
        readings=view.offered,
    )


def is_choice(text: str) -> bool:
    """A number alone: it chooses among readings, and asks nothing."""
    return _CHOICE.fullmatch(narrow(text)) is not None


def _ask(view: View, dataset: DatasetProfile, readings: Readings) -> Decision:
    offered = tuple(offered_reading(reading, view.language) for reading in readings.offered)
    unread = readings.unread
    questions: list[str] = []
    if unread:
        questions.append(tell("analysis_rules.unread", words=quoted(unread)))
        names = [
            name for word in unread for name in nearest(word, [c.name for c in dataset.columns])
        ]
        near = tuple(dict.fromkeys(names)) or tuple(column.name for column in dataset.columns)
        questions.append(tell("analysis_rules.columns", columns=tell("comma").join(near[:12])))
    elif not offered:
        questions.append(tell("analysis_rules.nothing_to_compute"))
    if offered:
        questions += disputes(dataset, offered[0].specs)
        questions.append(which_of(offered, view.language))
    return Decision(
        next_action="ask",
        rationale="readings are near" if offered and not unread else f"unread: {', '.join(unread)}",
        clarifying_questions=tuple(questions),
        readings=offered,
        unread=unread,
        suggestions=() if offered else suggestions(dataset, view.language),
    )


def offered_reading(reading: Reading, language: Language) -> Offered:
    return Offered(
        text=reading_text(reading.specs, language),
        specs=reading.specs,
        unread=reading.unread,
    )


def which_of(offered: Sequence[Offered], language: Language) -> str:
    text = "which_reading" if len(offered) > 1 else "this_reading"
    return tell(f"analysis_rules.{text}", language)


def quoted(words: Sequence[str]) -> str:
    return tell("comma").join(tell("analysis_rules.quoted", word=word) for word in words[:6])


def _failed(view: View) -> Decision:
    """What was read can't be computed: the person is told why, and what else may be meant."""
    error, dataset = view.last_error, view.dataset
    assert error is not None
    assert dataset is not None
    readings = readings_of(view.questions, dataset, int(view.next_result_id[1:]))
    failed = view.failed_spec
    others = [one for one in readings.all[1:3] if failed is None or failed not in one.specs]
    if failed is not None and "nothing_left" in error.text_id:  # of no rows, nothing else either
        told = failed.filters
        others = [one for one in others if any(each not in told for each in one.specs[0].filters)]
    said = (error.message, error.hint) if error.hint else (error.message,)
    offered = tuple(offered_reading(one, view.language) for one in others)
    asked = (*said, which_of(offered, view.language)) if offered else said
    return Decision(
        next_action="ask",
        rationale=f"the operation failed: {error.code}",
        clarifying_questions=asked,
        readings=offered,
        suggestions=() if offered else suggestions(dataset, view.language),
    )


def suggestions(dataset: DatasetProfile, language: Language) -> tuple[str, ...]:
    """Questions that this table can answer at once: each was read before it is shown."""
    return tuple(
        question
        for question in fitting_questions(dataset, language)
        if readings_of([question], dataset).sure is not None
    )[:MOST_SUGGESTIONS]


_SMALL = DatasetProfile(
    dataset_id="",
    name="売上.csv",
    sha256="",
    size=0,
    rows=2,
    columns=(
        ColumnProfile(name="店舗", type="text", distinct=2, values=("東店", "西店")),
        ColumnProfile(name="売上", type="integer", distinct=2, minimum=1, maximum=2),
    ),
)


def warm_up() -> None:
    """Dictionaries, word lists and the network, once: they take longer to load than to be used."""
    readings_of(["店舗別の売上の合計"], _SMALL)


class RulesThinker:
    checks_itself = True

    async def decide(self, view: View) -> Decision:
        return await apart(decide_on, view)

    async def conclude(self, view: View, refused: Sequence[str] = ()) -> str:
        _ = refused  # what code has written states nothing of its own
        return await apart(conclude, view)
