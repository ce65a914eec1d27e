"""Values that a person enters when a plan starts, and the rows that they decide."""

import re

from sanbo.plans.designing.draft import Rows
from sanbo.plans.designing.row_reading import Condition, columns_named, read_rows
from sanbo.plans.designing.row_steps import keep
from sanbo.plans.designing.vocabulary import has, language_of, plain
from sanbo.plans.designing.work import Work, as_written

_JA = re.compile(
    r"(?P<n>[一-龠ァ-ヶーa-z]{1,12}(?:の[一-龠ァ-ヶー]{1,8})?)(?:名)?(?:は|"
    r"を|について|も|だけ)[^。]{0,24}?"
    r"(?:画面|その都度|都度|実行|毎回|起動|担当者が|聞い|聞く|尋ね|入力|指定)"
)
_EN = re.compile(
    r"\b(?:ask(?:s|ed|ing)?(?: (?:me|the user|them|whoever runs it|"
    r"us))?(?: for)?|prompts?(?: me| the user)? for|enters?|"
    r"types? in|specif(?:y|ies)|choose|chooses|pick|select) (?:the |"
    r"an? |which |what )(?P<n>[a-z][a-z -]{1,28}?)"
    r"(?= at\b| when| each| every| before| and\b| to\b| in\b| \(|,|\.|$| first| is\b| on\b)|"
    r"\bthe (?P<m>[a-z][a-z -]{1,28}?) (?:is|are|will be|should be) (?:entered"
    r"|asked|typed|specified|given|chosen)"
)
_MORE = re.compile(
    r"(?P<j>[一-龠ァ-ヶー]{1,12})[(（][^()（）]{0,10}(?:実行|"
    r"都度|毎回|入力|入れ)[^()（）]{0,14}[)）]|"
    r"\b(?:an?|the) (?P<e>[a-z][a-z -]{1,24}?) (?:that |which )?(?:i|"
    r"we|the user|somebody|you) (?:will )?(?:enter|type|specify|"
    r"give|choose|pick|supply)"
)
_NO_VALUE = re.compile(
    "^(?:ファイル|承認|確認|結果|データ|一覧|内容|担当|画面|実行|これ|それ|file|files|approval)$"
)
_MONTH = re.compile(r"(?:対象|処理)?(?:年)?月$|^(?:\w{1,12} )?month$")
_DAY = re.compile("日$|日付|期日|期限|date|day|deadline")
_STAND_INS = {"date": "2070-07-07", "number": "70707070"}


_BOUND = re.compile(
    "^(?:より(?:前|後|大き[いな]|小さ[いな])|以前|以降|以上|"
    "以下|以内|未満|超|を超え(?:る|た)|まで)(?:の|に|で)?"
)


def without_question(text: str) -> str:
    """A clause without what it asks a person for."""
    text = re.sub(r"[(（][^()（）]{0,10}(?:実行|都度|毎回|入力|入れ)[^()（）]{0,14}[)）]", "", text)
    return _EN.sub(" ", text) if language_of(text) == "en" else text


def ask_named(work: Work, said: str) -> None:
    """Names of values that sentences before this one may speak of."""
    if any(one.kind == "template" for one in work.material.files):
        return
    for match in (*_MORE.finditer(said), *_JA.finditer(said), *_EN.finditer(said)):
        name = next((part for part in match.groups() if part), "").strip()
        if not name or _NO_VALUE.match(name) or name in work.asked:
            continue
        kind = _kind(work, name)
        field = kind if kind in ("date", "number") else "text"
        work.asked[name] = work.draft.ask(field, as_written(work, name))
        work.asked_kinds[name] = kind
        return


def _kind(work: Work, name: str) -> str:
    if _MONTH.search(name):
        return "month"
    for source in work.tables:
        if source.kind == "documents":
            continue
        rows = source.rows(work.draft)
        if rows.profile is None:
            continue
        for column in columns_named(name, rows.profile):
            about = rows.profile.column(column)
            if about is not None and (about.type == "text" or about.is_identifier):
                return f"column {column}"
            if about is not None and about.is_temporal:
                return "date"
    return "date" if _DAY.search(name) else "number"


def asked_conditions(work: Work, rows: Rows, text: str) -> tuple[list[Condition], str]:
    """満了日が指定日以前, その担当者の受注: read with a value that stands for what a person
    enters. The text without it, where it is one value of a column."""
    assert rows.profile is not None
    for name, ref in work.asked.items():
        match = _mention(name).search(plain(text))
        if (
            match
            and has("acts.ask", f" {plain(text)} ")
            and not re.match("その|指定|入力した|that|the (?:given|entered)", match[0])
        ):
            match = match if name.isascii() and " or after" in text else None
        if match is None or name in work.used_asked:
            continue
        kind = work.asked_kinds[name]
        if kind.startswith("column "):
            column = kind.removeprefix("column ")
            made = [{"field": column, "operator": "eq", "value": ref}]
            if column not in rows.columns:
                continue
        elif kind == "month":
            days = [one.name for one in rows.profile.columns if one.is_temporal]
            if not days:
                continue
            named = [one for one in columns_named(text, rows.profile) if one in days]
            made = [{"field": (named or days)[0], "operator": "starts_with", "value": ref}]
        else:
            made = _bounds(rows, text, match, ref)
        if made:
            work.used_asked.add(name)
            said = plain(text)
            behind = _BOUND.sub(" ", said[match.end() :])
            return made, f"{said[: match.start()]} {behind}"
    return [], text


def _mention(name: str) -> re.Pattern[str]:
    """指定した日付, その担当者, that month; what is asked for is no mention of it."""
    bare = re.escape(name)
    head = re.escape(name.rpartition("の")[2].rpartition(" ")[2])
    short = re.escape(re.sub("(?:名|日数|日付|金額|日|年月)$", "", name) or name)
    first = re.escape(name.partition("の")[0])
    japanese = (
        rf"(?:その|指定(?:した|された|する|の)?|入力(?:した|された)?|"
        rf"選んだ|当該)(?:{bare}|{head}|{short}|値|日付|日)(?:分)?|"
        rf"{bare}|{first}"
    )
    english = (
        rf"\b(?:that|the given|the entered|the chosen|this|the same) (?:{bare}|"
        rf"{head})\b|(?:an? |the )?\b{bare}\b|(?<=(?:above|below|"
        rf"after|efore|under| over|until| than)) (?:it|that)\b"
    )
    pattern = english if name.isascii() else japanese
    return re.compile(pattern)


def _bounds(rows: Rows, text: str, match: re.Match[str], ref: str) -> list[Condition]:
    assert rows.profile is not None
    said = plain(text)
    for stand_in in _STAND_INS.values():
        gap = "" if language_of(said) == "ja" else " "
        phrase = f"{said[: match.start()]}{gap}{stand_in}{gap}{said[match.end() :]}"
        for one_phrase in (phrase, *_with_figures(rows, phrase, stand_in)):
            for reading in read_rows(one_phrase, rows.profile):
                own = [
                    one
                    for one in reading.conditions
                    if str(one.get("value")).removesuffix(".0") == stand_in
                    and one["operator"] in ("gt", "gte", "lt", "lte")
                ]
                if own:
                    return [{**one, "value": ref} for one in own[:1]]
    return []


def _with_figures(rows: Rows, phrase: str, stand_in: str) -> list[str]:
    """Where no column is named, that of the days or of the figures."""
    assert rows.profile is not None
    names = [
        one.name
        for one in rows.profile.columns
        if (one.is_temporal if "-" in stand_in else one.is_numeric and not one.is_identifier)
    ]
    at = phrase.index(stand_in)
    before, behind = phrase[max(0, at - 12) : at], phrase[at : at + len(stand_in) + 6]
    shown = f"{before}{behind}" if language_of(phrase) == "en" else f"が{behind}"
    return [f"{name} {shown}".replace(" が", "が") for name in names[:1]]


_SINCE = re.compile("以降|から|下限|以上|since|from|after|minimum|at least")
_UNTIL = re.compile("まで|以前|以内|上限|until|up to|before|no later|maximum")


def use_what_is_left(work: Work, rows: Rows) -> Rows:
    """いつまでの分か聞く: a value that no clause used is a bound of the column of its kind."""
    for name, ref in work.asked.items():
        kind = work.asked_kinds[name]
        if name in work.used_asked or rows.profile is None:
            continue
        columns = [
            one.name
            for one in rows.profile.columns
            if (one.is_temporal if kind == "date" else one.is_numeric and not one.is_identifier)
        ]
        named = [column for column in columns_named(work.whole, rows.profile) if column in columns]
        column = (named or columns or [""])[0]
        if kind not in ("date", "number") or not column or (kind == "number" and not named):
            continue
        is_least = bool(_SINCE.search(name)) or (
            bool(_SINCE.search(work.whole)) and not _UNTIL.search(work.whole)
        )
        condition = {"field": column, "operator": "gte" if is_least else "lte", "value": ref}
        rows = keep(work.draft, rows, [condition])
        work.used_asked.add(name)
    return rows


def ask_bound(work: Work, said: str) -> bool:
    """Whether the sentence only asks for a value that others use."""
    if any(one.kind == "template" for one in work.material.files):
        return True
    return any(name in said for name in work.asked)
