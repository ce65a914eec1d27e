"""What the rules make of a question before a model sees it: readings, and what it names."""

from sanbo.agents.analysis.decision import Offered, View
from sanbo.agents.analysis.outcome import Made
from sanbo.agents.analysis.rules.deciding import offered_reading, readings_of
from sanbo.agents.analysis.rules.mentions import items_of
from sanbo.agents.analysis.rules.scene import scene_of
from sanbo.agents.analysis.spec.columns import columns_of
from sanbo.kernel.messages import use_language

_WHOLE = 1.0  # the quality of a value that stands in the question as it is, from word to word


class Draft(Made):
    readings: tuple[Offered, ...] = ()
    """The likeliest first."""
    columns: tuple[str, ...] = ()
    """That the question names or the readings use."""
    values: tuple[tuple[str, str], ...] = ()
    """Column and value, as whole words of the question."""


def draft_of(view: View) -> Draft:
    """Pure, and called in a guarded process: the question is a stranger's."""
    dataset = view.dataset
    if dataset is None or not view.questions:
        return Draft()
    with use_language(view.language):
        read = readings_of(view.questions, dataset, int(view.next_result_id[1:]))
        offered = tuple(offered_reading(one, view.language) for one in read.offered)
    found = [
        item for question in view.questions[-3:] for item in items_of(question, scene_of(dataset))
    ]
    senses = [sense for item in found for sense in item.senses]
    values = [sense.value for sense in senses if sense.value is not None]
    named = [
        *(sense.name for sense in senses if sense.kind == "column"),
        *(value.column for value in values),
        *(name for one in offered for spec in one.specs for name in columns_of(spec)),
    ]
    known = {column.name for column in dataset.columns}
    return Draft(
        readings=offered,
        columns=tuple(dict.fromkeys(name for name in named if name in known)),
        values=tuple(dict.fromkeys((v.column, v.value) for v in values if v.quality >= _WHOLE)),
    )
