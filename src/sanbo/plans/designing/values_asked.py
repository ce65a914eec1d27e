"""Values that a person enters at the start, and where conditions refer to them."""

import re
from dataclasses import dataclass, field
from typing import Any

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.plans.designing.draft import Draft
from sanbo.plans.designing.row_phrases import columns_named, conditions_in
from sanbo.plans.designing.vocabulary import language_of

_STAND_IN = 70_707_070
"""Stands for a number in a phrase while it is read."""
_DAY = "2070-07-07"
_BOUND = "以上|以下|未満|を超え|超|より|以降|以前|まで|から"
_JAPANESE = re.compile(
    r"(?:画面で|利用者が|担当者が|実行時に|開始時に|最初に)?(?<!未)(?:入力|指定)(?:した|された|"
    r"してもらった|する|される|の)(?P<label>[^、。をがはにと]{1,12}?)"
    rf"(?=(?:{_BOUND})|[のとにをで、がは]|$)"
)
_ASKED = re.compile(
    r"(?P<label>[^、。がは]{1,16}?)を(?:(?:画面で|利用者に|担当者に|人に|実行時に|開始時に|"
    r"最初に)*)(?:入力|指定)(?:し|させ|する|さ)"
)
_ENGLISH = re.compile(
    r"(?:the |an? )?(?P<label>[a-z][a-z ]{1,28}?) (?:that (?:is|was) |which is )?(?:entered|"
    r"specified|typed in|supplied|given)(?: by [a-z ]{1,20}| at the start| when it runs)?"
)
_ENGLISH_ASK = re.compile(
    r"(?:ask(?:s|ed)?(?: the user| the person| someone)? (?:for|to enter)|prompts? for|(?:user|"
    r"person) enters?|enter) (?:the |an? )?(?P<label>[a-z][a-z ]{1,28}?)(?:$|,| and| at| first|"
    r" when| before)"
)
_BACK = re.compile(
    r"それ|その(?:値|金額|数|日|月|額)|\b(?:it|that (?:amount|value|date|number)|this (?:amount|"
    r"value))\b"
)
_DATES = re.compile("日|期限|date|day|deadline")
_NUMBERS = re.compile(
    "額|数|金|率|上限|下限|基準|点|値|amount|threshold|limit|minimum|maximum|number|rate|price|"
    "quantity|value|percent"
)


@dataclass
class AskedValues:
    refs: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """By label: the kind, and the reference to the answer."""
    last: str = ""

    def with_places(self, draft: Draft, text: str, profile: DatasetProfile | None) -> str:
        """The phrase with stand-ins where it speaks of what a person enters."""
        for pattern in (_ASKED, _JAPANESE, _ENGLISH_ASK, _ENGLISH):
            if match := pattern.search(text):
                label = match["label"].strip(' 「」"')
                kind = self._kind(label, profile)
                ref = draft.ask(kind, label)
                self.refs[label] = (kind, ref)
                self.last = label
                is_question = pattern in (_ASKED, _ENGLISH_ASK)
                rest = text[: match.start()] + "、" + text[match.end() :]
                if pattern is _ASKED and f"その{label}" in rest:
                    place = f"{label}が{self._stand_in(kind, label)}" if kind != "text" else label
                    return rest.replace(f"その{label}", place, 1)
                place = "" if is_question else self._stand_in(kind, label)
                if place and profile is not None and kind != "text":
                    own = columns_named(label, profile)
                    if own and not columns_named(rest, profile):
                        place = (
                            f"{own[0]}が{place}"
                            if label_is_japanese(label)
                            else f"{own[0]} {place}"
                        )
                return text[: match.start()] + place + text[match.end() :]
        for label, (kind, _) in self.refs.items():
            if kind != "text" and label in text:
                self.last = label
                return text.replace(label, self._stand_in(kind, label), 1)
        if self.last and (back := _BACK.search(text)):
            kind = self.refs[self.last][0]
            return text[: back.start()] + self._stand_in(kind, self.last) + text[back.end() :]
        return text

    def conditions(self, text: str, profile: DatasetProfile) -> list[dict[str, Any]]:
        """With references where the stand-ins were read."""
        if not self.last:
            return []
        kind, ref = self.refs[self.last]
        if kind == "text":
            columns = columns_named(self.last, profile) or columns_named(text, profile)
            return [{"field": columns[0], "operator": "eq", "value": ref}] if columns else []
        found = conditions_in(text, profile).all
        if not _names_stand_in(found):
            return []
        for one in found:
            if one.get("value") in (_STAND_IN, _DAY, float(_STAND_IN)):
                one["value"] = ref
        return found

    def _kind(self, label: str, profile: DatasetProfile | None) -> str:
        if profile is not None:
            for name in columns_named(label, profile)[:1]:
                column = profile.column(name)
                assert column is not None
                return "number" if column.is_numeric else "date" if column.is_temporal else "text"
        return "number" if _NUMBERS.search(label) else "date" if _DATES.search(label) else "text"

    def _stand_in(self, kind: str, label: str) -> str:
        return str(_STAND_IN) if kind == "number" else _DAY if kind == "date" else label


def label_is_japanese(label: str) -> bool:
    return language_of(label) == "ja"


def _names_stand_in(found: list[dict[str, Any]]) -> bool:
    return any(one.get("value") in (_STAND_IN, _DAY, float(_STAND_IN)) for one in found)
