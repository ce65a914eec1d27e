"""Who has a right or a duty: 甲 and 乙, 委託者 and 受託者, the Buyer and the Seller."""

import re

from sanbo.agents.comparison.differences.spans import Span

_OPPOSED: tuple[tuple[str, ...], ...] = (
    ("甲", "乙", "丙", "丁"),
    ("委託者", "受託者"),
    ("発注者", "受注者"),
    ("注文者", "請負人"),
    ("貸主", "借主"),
    ("賃貸人", "賃借人"),
    ("貸付人", "借入人"),
    ("売主", "買主"),
    ("譲渡人", "譲受人"),
    ("開示者", "受領者"),
    ("債権者", "債務者"),
    ("使用者", "労働者"),
    ("buyer", "purchaser", "seller"),
    ("customer", "client", "supplier", "vendor", "provider", "contractor"),
    ("licensor", "licensee"),
    ("lessor", "lessee"),
    ("landlord", "tenant"),
    ("employer", "employee"),
    ("disclosing party", "receiving party"),
    ("party a", "party b"),
)
"""Those of one row are never the same person in one contract."""
_ROW = {name: row for row, names in enumerate(_OPPOSED) for name in names}
_ROLES = "|".join(name for names in _OPPOSED[1:] for name in names if not name.isascii())
_LATIN = "|".join(name for names in _OPPOSED for name in names if name.isascii())
_PARTY = re.compile(
    "(?<![一-鿿])[甲乙丙丁](?![種類号板斐状虫])"  # 甲種, 甲板 and 装甲 are no party
    f"|{_ROLES}"
    rf"|\b(?i:{_LATIN})\b"
)


def exchanged(old: str, old_span: Span, new: str, new_span: Span) -> list[tuple[str, str]]:
    """Parties that stand in each other's place, in the words of both sides."""
    if old_span[0] == old_span[1] or new_span[0] == new_span[1]:
        return []
    before = [found.group() for found in _PARTY.finditer(old, *old_span)]
    after = [found.group() for found in _PARTY.finditer(new, *new_span)]
    if len(before) != len(after):
        return []
    return [
        (one, other)
        for one, other in zip(before, after, strict=True)
        if one.casefold() != other.casefold() and _row(one) == _row(other)
    ]


def _row(name: str) -> int:
    return _ROW[name.casefold()]
