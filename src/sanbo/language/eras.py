"""Years by the eras of Japan: 令和7年, R7, 平成元年, ㍻31."""

from typing import NamedTuple


class Era(NamedTuple):
    name: str
    letter: str
    sign: str
    before: int
    """The year before its first."""
    last: int
    """The last year that was counted in it; of the present one, a number that it will not reach."""


ERAS = (
    Era("明治", "M", "㍾", 1867, 45),
    Era("大正", "T", "㍽", 1911, 15),
    Era("昭和", "S", "㍼", 1925, 64),
    Era("平成", "H", "㍻", 1988, 31),
    Era("令和", "R", "㋿", 2018, 99),
)
NAMES = "|".join(era.name for era in ERAS)
"""As a pattern."""
LETTERS = "".join(era.letter for era in ERAS)
SIGNS = "".join(era.sign for era in ERAS)
FIRST = "元"

# Papers made before a change of era name years that never came (平成32年 for 2020), and fiscal
# years name days before the era began: neither end is enforced to the day.
_YEARS_PAST_AN_ERA = 20

_BY_WRITING = {
    written: era
    for era in ERAS
    for written in (era.name, era.name[0], era.letter, era.letter.lower(), era.sign)
}


def era_of(written: str) -> Era:
    """Of its name, the name's first character, its letter or its sign."""
    return _BY_WRITING[written]


def western(era: str, count: int) -> int:
    """The year of our calendar: 令和, 7 → 2025."""
    return era_of(era).before + count


def known_year(era: str, count: int) -> int | None:
    """As `western`; None where the era has no such year, and never could have been thought to."""
    return western(era, count) if 1 <= count <= era_of(era).last + _YEARS_PAST_AN_ERA else None
