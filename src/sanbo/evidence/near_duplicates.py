"""Whether a passage says no more than one that is there already.

Careful rather than thorough: two clauses that differ in a number, a name or a `not` are two
sources that contradict each other, and dropping one would hide it.
"""

import re
from collections.abc import Sequence

from rapidfuzz import process
from rapidfuzz.distance import Indel

from sanbo.retrieval.tokens import letters

ALIKE = 0.9
_HIRAGANA = re.compile(r"[ぁ-ゖー]*")
_TURNS_MEANING = re.compile(
    r"[0-9〇一二三四五六七八九十百千万億]|ない|ませ|ず|ぬ|まい|以外|除|不|未|無|非|否|禁"
    r"|not|never|without|except|unless|cannot|n't"
)


class KnownTexts:
    """The texts of a run's passages; the first of those that say the same is kept."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._forms = [letters(text) for text in texts]
        self._exact = set(self._forms)

    def add(self, text: str) -> bool:
        """Whether it is new; then it is known from now on."""
        form = letters(text)
        if not form or self._is_said(form):
            return False
        self._forms.append(form)
        self._exact.add(form)
        return True

    def _is_said(self, form: str) -> bool:
        if form in self._exact:
            return True
        alike = process.extract(
            form,
            self._forms,
            scorer=Indel.normalized_similarity,
            score_cutoff=ALIKE,
            limit=None,
        )
        return any(_adds_nothing(form, known) for known, _, _ in alike)


def _adds_nothing(form: str, known: str) -> bool:
    """Beside particles and endings, the text has nothing that the known one lacks."""
    if _TURNS_MEANING.findall(form) != _TURNS_MEANING.findall(known):
        return False
    if form in known:
        return True
    return all(
        _HIRAGANA.fullmatch(known[change.src_start : change.src_end])
        and _HIRAGANA.fullmatch(form[change.dest_start : change.dest_end])
        for change in Indel.opcodes(known, form)
        if change.tag != "equal"
    )
