"""What is to be left out is left out, however it is said and wherever it stands."""

from itertools import product

from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile
from sanbo.agents.analysis.reader.readings import Readings, read_question
from sanbo.agents.analysis.spec.filters import Among, Compare, Contains, Filter

STORES = ("新宿店", "大阪店", "名古屋店", "札幌店")
REGIONS = ("East", "West", "North", "South")
TABLE = DatasetProfile(
    dataset_id="d",
    name="売上.csv",
    sha256="0" * 64,
    size=1,
    rows=400,
    columns=(
        ColumnProfile(
            name="日付", type="date", distinct=90, minimum="2025-04-01", maximum="2025-06-30"
        ),
        ColumnProfile(name="店舗", type="text", distinct=4, values=STORES),
        ColumnProfile(name="Region", type="text", distinct=4, values=REGIONS),
        ColumnProfile(name="売上金額", type="integer", distinct=300, minimum=100, maximum=90000),
        ColumnProfile(name="Sales", type="number", distinct=300, minimum=1.0, maximum=9000.0),
    ),
)
JAPANESE = tuple(
    [
        "{}は除く",
        "{}を除く",
        "{}を除いて",
        "{}は除いて",
        "{}を除いた",
        "{}は除外",
        "{}を除外して",
        "{}以外",
        "{}以外の",
        "{}抜き",
        "{}抜きで",
        "{}は抜いて",
        "{}は対象外",
        "{}を対象外にして",
        "{}は含めない",
        "{}を含めずに",
        "{}は含めずに",
        "{}を含まない",
        "{}は入れないで",
        "{}を外して",
        "{}は外す",
        "{}ではない",
        "{}になっていない",
        "{}でない",
        "{}じゃない",
        "{}は無視して",
    ]
)
ENGLISH = (
    "except {}", "except for {}", "excluding {}", "other than {}", "not {}", "not including {}",
    "without {}", "leaving out {}", "apart from {}", "but not {}", "not counting {}", "ignoring {}",
    "that is not {}", "omitting {}", "outside {}", "besides {}", "aside from {}",
)  # fmt: skip


def _keeps(one: Filter, value: str) -> bool:
    """Whether the condition is met by rows with the value alone, or with it among others."""
    match one:
        case Compare(op="=="):
            return one.value == value
        case Among(op="in"):
            return value in one.value
        case Contains(op="contains"):
            return one.value in value
        case _:
            return False


def _leaves_out(one: Filter, value: str) -> bool:
    return (isinstance(one, Compare) and one.op == "!=" and one.value == value) or (
        isinstance(one, Among) and one.op == "not_in" and value in one.value
    )


def verdict_of(readings: Readings, values: tuple[str, ...]) -> str:
    for reading in readings.all if readings.sure is None else (readings.sure,):
        filters = [one for spec in reading.specs for one in spec.filters]
        if any(_keeps(one, value) for one in filters for value in values):
            return "inverted"
        if readings.sure is not None and not all(
            any(_leaves_out(one, value) for one in filters) for value in values
        ):
            return "ignored"
    return "asked" if readings.sure is None else "right"


def questions() -> list[tuple[str, tuple[str, ...]]]:
    made: list[tuple[str, tuple[str, ...]]] = []
    for form, names in product(JAPANESE, (("大阪店",), ("大阪店", "札幌店"))):
        said = form.format("と".join(names))
        made += [
            (f"店舗別の売上金額の合計。{said}", names),
            (f"{said}、店舗別の売上金額の合計", names),
            (f"店舗別の売上金額の合計、{said}", names),
        ]
        if form.endswith(("く", "て", "の", "で", "た", "に", "以外", "抜き")):
            made.append((f"{said}売上金額の合計", names))
    for form, names in product(ENGLISH, (("West",), ("West", "North"))):
        said = form.format(" and ".join(names))
        made += [
            (f"total sales by region {said}", names),
            (f"total sales by region, {said}", names),
            (f"{said}, total sales by region", names),
            (f"{said.capitalize()}, what are the total sales by region?", names),
        ]
    return made


def test_no_exclusion_is_inverted_or_ignored() -> None:
    judged = [
        (verdict_of(read_question(question, TABLE), names), question)
        for question, names in questions()
    ]
    wrong = [one for one in judged if one[0] in ("inverted", "ignored")]
    assert not wrong
    right = sum(verdict == "right" for verdict, _ in judged)
    assert right > 0.9 * len(judged), [one for one in judged if one[0] == "asked"]
