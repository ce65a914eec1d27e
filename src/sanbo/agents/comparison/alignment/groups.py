"""Links of several chunks: one to one links, joined by the parts that belong to them."""

from dataclasses import dataclass

from sanbo.agents.comparison.alignment.containment import Part
from sanbo.agents.comparison.alignment.matches import Matches


@dataclass(frozen=True, slots=True)
class Group:
    old: tuple[int, ...]
    new: tuple[int, ...]
    confidence: float


def groups_of(matches: Matches, splits: list[Part], merges: list[Part]) -> list[Group]:
    """A chunk that was split is not merged as well: the surer reading is taken."""
    new_parts: dict[int, list[Part]] = {}
    old_parts: dict[int, list[Part]] = {}
    taken_old: set[int] = set()
    taken_new: set[int] = set()
    both = [(part, True) for part in splits] + [(part, False) for part in merges]
    for part, is_split in sorted(both, key=lambda one: (-one[0].share, one[1], one[0].part)):
        if is_split:
            partner = matches.new_of[part.whole]
            is_other = part.whole in taken_old or partner in old_parts or part.part in old_parts
            if not is_other and part.part not in taken_new:
                new_parts.setdefault(part.whole, []).append(part)
                taken_new.add(part.part)
        else:
            partner = matches.old_of[part.whole]
            is_other = part.whole in taken_new or partner in new_parts or part.part in new_parts
            if not is_other and part.part not in taken_old:
                old_parts.setdefault(part.whole, []).append(part)
                taken_old.add(part.part)
    return _joined(matches, new_parts, old_parts)


def _joined(
    matches: Matches, new_parts: dict[int, list[Part]], old_parts: dict[int, list[Part]]
) -> list[Group]:
    found: list[Group] = []
    for old, new in matches.pairs():
        confidence = matches.confidence[old]
        added = [*new_parts.get(old, ()), *old_parts.get(new, ())]
        found.append(
            Group(
                tuple(sorted((old, *(part.part for part in old_parts.get(new, ()))))),
                tuple(sorted((new, *(part.part for part in new_parts.get(old, ()))))),
                min([confidence, *(_confidence(part) for part in added)]),
            )
        )
    for old, parts in new_parts.items():
        if matches.new_of[old] < 0:
            news = tuple(sorted(part.part for part in parts))
            found.append(Group((old,), news, min(_confidence(part) for part in parts)))
    for new, parts in old_parts.items():
        if matches.old_of[new] < 0:
            olds = tuple(sorted(part.part for part in parts))
            found.append(Group(olds, (new,), min(_confidence(part) for part in parts)))
    return sorted(found, key=lambda group: (group.old, group.new))


def _confidence(part: Part) -> float:
    return min(0.97, 0.55 + 0.4 * part.share + 0.3 * min(part.lead, 0.3))
