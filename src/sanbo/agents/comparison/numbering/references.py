"""What a text refers to by number: 第三十九条第八項, 前条第二号イ, 別表第一, Section 5.2(b).

第三者 and 第一回 refer to nothing, and 平成十六年法律第百二十二号 is the number of a law, which
no renumbering ever touches.
"""

import re
from itertools import pairwise

from sanbo.agents.comparison.numbering.english import english_references
from sanbo.agents.comparison.numbering.japanese import japanese_references
from sanbo.agents.comparison.numbering.reference import Reference

_UNIT_WRITTEN = re.compile("[編章節款目条項号]")
# Most paragraphs refer to nothing; these tell them at once, the first one faster still.
_MAY_HINT = re.compile("[第条項号章節編款§別付様A-Za-z]")
_HINT = re.compile(
    r"[第条項号章節編款§]|別[表紙添記]|付表|様式"
    r"|[Pp]art|[Cc]hap|[Ss]ec|[Ss]ub|[Aa]rt|[Cc]lau|[Pp]ara|[Ii]tem|[Ss]che|[Aa]nne|[Aa]ppe|[Ee]xhi"
    r"|PART|CHAP|SEC|SUB|ART|CLAU|PARA|ITEM|SCHE|ANNE|APPE|EXHI"
)


def references(text: str) -> list[Reference]:
    """In the order of the text; no two overlap."""
    first = _MAY_HINT.search(text)
    if first is None or _HINT.search(text, first.start()) is None:
        return []
    found = [*japanese_references(text), *english_references(text)]
    if len(found) < 2:
        return found
    found.sort(key=lambda reference: reference.start)
    return _joined(text, found)


def masked(text: str) -> str:
    """The same text with `#` for the numbers of all it refers to: `第#条第#項`."""
    pieces: list[str] = []
    done = 0
    for reference in references(text):
        for part in reference.parts:
            if part.number_end > part.number_start:
                unit = _UNIT_WRITTEN.search(text, part.number_start, part.number_end)
                pieces += (text[done : part.number_start], "#", unit.group() if unit else "")
                done = part.number_end
    return "".join((*pieces, text[done:]))


_JOINT = re.compile(
    r"\s*(?:(?:まで)?(?:及び|並びに|又は|若しくは|もしくは|または|および|ならびに|と|から|乃至|ないし"
    r"|、|,|，|・|～|〜|and|or|to|through)\s*)+(?:同)?"
)


def _joined(text: str, found: list[Reference]) -> list[Reference]:
    joined: list[Reference] = found[:1]
    for previous, reference in pairwise(found):
        between = text[previous.end : reference.start]
        goes_on = len(between) < 16 and bool(_JOINT.fullmatch(between))
        if not goes_on or reference.joined:
            joined.append(reference)
            continue
        external = reference.external or joined[-1].external
        joined.append(Reference(reference.start, reference.end, reference.parts, external, True))
    return joined
