"""What a question asks for that the table does not hold: 血圧の平均, which sales rep."""

import re
from functools import lru_cache

from sanbo.agents.analysis.rules.items import AGGREGATES, ORDER, Items
from sanbo.agents.analysis.rules.lexicon import RATIO, concepts, set_of
from sanbo.agents.analysis.rules.measures import HOW_MANY
from sanbo.agents.analysis.rules.tokens import forms

_NOUN = re.compile("[一-龠々ァ-ヶー]{2,}")
_FIGURES = (*AGGREGATES, *ORDER, "how_much")
_NEAR = 0.2
"""Words that are more alike may mean the same."""
_ASKED_NEAR = 0.4
_ANY_MONEY = frozenset(("money", "cost", "expense", "price"))
"""Where there are figures in money, one of them may be meant."""
_VAGUE = frozenset(("いい", "よい", "良い", "悪い"))
_VERBS = frozenset(("is", "are", "was", "were", "has", "have", "had", "do", "does", "did"))
_GROUPS = ("each", "each_before", "which", "who")


def absent(items: Items) -> list[int]:
    """Nouns that no column has to do with, where what is computed or grouped by is named."""
    frame = items.frame
    if frame.formula is not None or frame.op is not None:
        return []
    unread = [at for at in range(len(items.all)) if items.is_unread(at)]
    counts = [at for at in range(len(items.all)) if items.is_word(at, "count", "people")]
    is_counted = any(at - 1 not in unread and items.text(at) not in HOW_MANY for at in counts)
    is_named = any(one.column is not None for one in frame.measures) and not (
        frame.is_measure_guessed
    )
    return [
        at
        for at in unread
        if _is_unheard(items, at)
        and (_is_grouped(items, at) or (not (is_counted or is_named) and _is_figure(items, at)))
    ]


def _is_figure(items: Items, at: int) -> bool:
    """Beside the word that says what is computed of it."""

    def over(one: int) -> bool:
        return items.is_kind(one, "unknown") or items.is_word(one, "count")

    if items.is_kind(at, "word"):
        return True
    if items.all[at].is_japanese:
        is_rate = items.text(at + 1) in set_of("rates")
        figure = items.after(at, over=over)
        is_vague = figure is not None and items.text(figure) in _VAGUE  # 成績のいい人
        is_asked = _concept(forms(items.text(at))) is not None and _is_object(items, at)
        return is_rate or is_asked or (items.is_word(figure, *_FIGURES) and not is_vague)
    if items.is_kind(items.after(at), "column") and items.text(at + 1) not in ("in", "of", "for"):
        return False
    ahead = items.before(at, over=over)
    is_told = items.is_word(ahead, *AGGREGATES, "how_much")
    return is_told and ahead is not None and not items.all[ahead].is_japanese


def _is_object(items: Items, at: int) -> bool:
    """売上高を教えて."""
    while items.is_kind(at + 1 if at + 1 < len(items.all) else None, "unknown") or (
        items.text(at + 1) in ("高", "額")
    ):
        at += 1
    return items.text(at + 1) == "を"


def _is_grouped(items: Items, at: int) -> bool:
    def over(one: int) -> bool:
        return items.is_kind(one, "unknown", "column")

    if items.all[at].is_japanese:
        return items.is_word(items.after(at), "each")
    mark = items.before(at, over=over)
    if mark is None or items.all[mark].is_japanese or items.text(mark + 1) in _VERBS:
        return False
    if items.text(mark).startswith("what") and mark + 1 != at:
        return False
    # By what each asks it may be misread: by a thing that tables have columns of, then.
    is_thing = _concept(forms(items.text(at))) is not None and items.before(at) == mark
    return items.is_word(mark, "which", "who") or (items.is_word(mark, *_GROUPS) and is_thing)


def _is_unheard(items: Items, at: int) -> bool:
    """Of something else than any column is."""
    item = items.all[at]
    if items.is_kind(at, "word"):
        is_ranked = items.is_word(items.after(at), *ORDER)
        return items.name(at).startswith(RATIO) or (items.is_word(at, "money") and is_ranked)
    if item.text in set_of("tails") or not items.is_kind(at, "unknown"):
        return False
    if not _is_noun(item.text, is_japanese=item.is_japanese):
        return False
    said = forms(item.text)
    names = [name for known in items.scene.columns.values() for name in forms(known.name)]
    if any(item.text in known.name.casefold() for known in items.scene.columns.values()):
        return False
    concept = _concept(said)
    if concept is not None:
        has_money = any(known.is_money for known in items.scene.columns.values())
        return item.text not in set_of("vague") and not (has_money and concept in _ANY_MONEY)
    # Which author: whatever it is like, it would be a column of its own.
    is_asked = at > 0 and items.is_word(at - 1, "which") and not item.is_japanese
    is_asked |= item.is_japanese and items.text(at + 1) in set_of("rates")  # 離職率
    near = _ASKED_NEAR if is_asked else _NEAR
    return _is_known(said) and max(_alike(said, tuple(names))) < near


def _is_noun(text: str, *, is_japanese: bool) -> bool:
    if is_japanese:
        return _NOUN.fullmatch(text) is not None
    return text.isalpha() and not text.endswith(("ed", "ing", "ly", "er", "est"))


@lru_cache(maxsize=256)
def _concept(said: tuple[str, ...]) -> str | None:
    """A thing that tables have columns of; this one has none, or it would have been found."""
    return next((one.name for one in concepts() if said in one.words), None)


@lru_cache(maxsize=256)
def _is_known(said: tuple[str, ...]) -> bool:
    """A word at all, and not one that was misspelt."""
    from sanbo.language.likeness import neighbours  # noqa: PLC0415 - NumPy, as below

    return any(map(neighbours, said))


@lru_cache(maxsize=256)
def _alike(said: tuple[str, ...], names: tuple[str, ...]) -> list[float]:
    from sanbo.language.likeness import likeness  # noqa: PLC0415 - NumPy, for unknown words alone

    return likeness(said, names)
