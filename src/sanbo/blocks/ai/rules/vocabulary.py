"""What office papers call things: for each concept its labels, the surest first."""

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel
from rapidfuzz import fuzz

from sanbo.blocks.ai.shapes import Wanted
from sanbo.kernel.yaml_files import read_yaml

Concept = Literal[
    "billed",
    "subtotal",
    "tax",
    "due_date",
    "invoice_date",
    "invoice_number",
    "registration",
    "account",
    "issuer",
    "customer",
    "counterparty",
    "subject",
    "phone",
    "email",
    "postal",
]


class _Labels(BaseModel):
    concepts: dict[Concept, tuple[str, ...]]
    columns: dict[str, tuple[str, ...]]
    """By what a column of a table of items holds."""


LABELS = _Labels.model_validate(read_yaml(Path(__file__).with_name("labels.yaml")))
_POLITE = re.compile(r"(?:^|(?<=[一-龠]))(?:御|お|ご)(?=[一-龠])")
_AROUND = re.compile(r"[\s:：・\-_/■□◆◇●○◎▼▽【】\[\]〔〕<>《》*#.．、,]+")
_BRACKETED = re.compile(r"[(（〔\[][^()（）〔〕\[\]]{0,20}[)）〕\]]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
CLOSE = 92
SHORTEST_FUZZY = 4


@cache
def label_form(text: str) -> str:
    """A label as it is compared: `ご 請 求 金 額（税込）：` and `請求金額` are one."""
    said = unicodedata.normalize("NFKC", _CAMEL.sub(" ", text))
    said = _BRACKETED.sub("", said).casefold().strip()
    if said.isascii():
        return " ".join(_AROUND.sub(" ", said).split()) or said
    said = _AROUND.sub("", said)
    return _POLITE.sub("", said)


def concept_of(wanted: Wanted) -> Concept | None:
    """What a field is about, by its name, or else by its description."""
    name = label_form(wanted.name)
    forms = _forms()
    if name in forms:
        return forms[name]
    if len(name) >= SHORTEST_FUZZY:
        best = max(forms, key=lambda each: fuzz.ratio(name, each))
        if fuzz.ratio(name, best) >= CLOSE:
            return forms[best]
    said = label_form(wanted.description)
    return forms.get(said)


@cache
def _forms() -> dict[str, Concept]:
    return {
        label_form(label): concept
        for concept, labels in LABELS.concepts.items()
        for label in labels
    }


@cache
def every_label() -> frozenset[str]:
    """Of all concepts, in label form."""
    return frozenset(_forms())


def labels_of(wanted: Wanted) -> list[str]:
    """In label form, the surest first: the field's own name, then what else it is called."""
    concept = concept_of(wanted)
    known = LABELS.concepts[concept] if concept else ()
    named = (wanted.name, *known, wanted.description)
    return list(dict.fromkeys(form for form in map(label_form, named) if form))
