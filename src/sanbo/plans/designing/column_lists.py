"""Columns that are named in a row as what is wanted: 品番・品名・差異だけの一覧."""

import re
from collections.abc import Sequence

from sanbo.plans.designing.vocabulary import language_of, plain

_SEP_JA = r"\s?(?:、|・|,|,\s|/|および|及び|並びに|と)\s?"
_SEP_EN = (
    r"(?:, and (?:the |its |their )?|, (?:the |its |their )?|;? and (?:the |its |their )?| ?/ ?)"
)
_OTHER_JA = r"[一-龠ァ-ヶー々a-z0-9]{1,12}"
_NOTE = r"(?:\s?\([^()]{1,40}\))?"
_BEFORE_JA = re.compile(
    "(?:列|項目|載せるの|内容|欄|見出し|出力するの|記載するの|"
    "必要なの|欲しいの|使うの)(?:は|として)?[、:]?\\s?$|[::]\\s?$"
)
_STRONG_JA = re.compile(
    r"^(?:の順)?(?:に|で)?\s?(?:だけ|のみ|の(?:\d{1,2}|[一二三四五六七八九])?"
    r"\s?(?:列|項目|つ)|(?:を|が)?列(?:に|と)|の欄)"
)
_AFTER_JA = re.compile(
    r"^(?:の順)?(?:に|で)?\s?(?:の?(?:一覧|表|リスト|情報)|"
    r"を?$|を(?:リスト|表|載せ|並べ|出力|記載|表示|一覧|excel|"
    r"csv|含|書|入れ(?!て)|出|まとめ|残|見|持|抜)|"
    r"が(?:入|分か|わか|載|並)|で(?:excel|csv|出|一覧|お願い|"
    r"くだ)|です|とする|とします|$|をエクセル)"
)
_NO_JA = re.compile(
    r"^(?:ごと|別|毎|単位|で(?:照|突|集|まとめて|ひも|紐|結|"
    r"一致)|をキー|をもとに|の(?:組|合計|平均|和|差|積|両方|"
    r"どちら|いずれ|セット)|を(?:合計|集計|比|照|突|掛|足|付|"
    r"追加|加え)|つき|付き|が(?:同じ|一致|重複|空|未|異)|も)"
)
_BEFORE_EN = re.compile(
    r"(?:\bwith|showing|\bshows?|\bcolumns?|\bfields?|\bonly|"
    r"\bjust|containing|includ(?:e|es|ing)|listing|"
    r"\bhas|\bhave|\bkeep|give me|\blist|needs?|\bof|[:(–-])(?: only|"
    r" just)?(?: the)?(?: (?:\w{1,12} )?columns?:?)? ?(?:the |its |"
    r"their )?$"
)
_STRONG_EN = re.compile(
    r"(?:\bcolumns?|\bfields?|\bonly|\bjust|\bwith)(?: only|"
    r" just)?(?: the)?(?: (?:\w{1,12} )?columns?:?)?:? ?(?:the )?$"
)
_NO_EN = re.compile(
    r"\b(?:by|per|each|on|between|match(?:ing)?|sum|total|totals|"
    r"average|add up|group(?:ed)?|compare|both) (?:of )?(?:the )?$"
)


def list_in(text: str, columns: Sequence[str]) -> tuple[list[str], str] | None:
    """Their names as they stand, and the text without them; `columns` are those of all tables."""
    said = plain(text)
    is_japanese = language_of(said) == "ja"
    forms = {form for name in columns for form in _forms(name)}
    if not forms:
        return None
    known = "|".join(
        (rf"(?<![a-z0-9]){re.escape(form)}(?![a-z0-9])" if form.isascii() else re.escape(form))
        for form in sorted(forms, key=len, reverse=True)
    )
    other = (
        rf"{_OTHER_JA}(?=[、・,と/(]|の順|の\d|の[列項一]|だけ|のみ|を|で|です|$)"
        if is_japanese
        else r"\b(?!(?:the|an?|its|their|columns?|with|shows?|showing|"
        r"list|fields?|only|just|give|include|containing|keep|take|"
        r"in|as|for|by)\b)[a-z][a-z%]{1,15}(?: (?!and\b|or\b|in\b|"
        r"as\b|for\b)[a-z%]{2,15}){0,2}?(?=,| and|$|\.| in\b| as\b|"
        r" columns?)"
    )
    item = rf"(?:(?:{known}){_NOTE}|{other}{_NOTE})"
    sep = _SEP_JA if is_japanese else _SEP_EN
    best: tuple[list[str], str] | None = None
    for match in re.finditer(rf"{item}{sep}{item}(?:{sep}{item}){{0,14}}", said):
        names = [
            re.sub(r"\s?\([^()]{0,60}\)$", "", part).strip() for part in re.split(sep, match[0])
        ]
        names = [re.sub(r"^(?:the|its|their|an?) ", "", name) for name in names if name]
        met = sum(name in forms for name in names)
        before, behind = said[: match.start()], said[match.end() :].lstrip()
        if (
            not _is_wanted(before, behind, len(names), is_japanese=is_japanese)
            or met < 2
            or met * 2 < len(names)
        ):
            continue
        if best is None or len(names) > len(best[0]):
            best = names, f"{before} {behind}"
    return best


def _is_wanted(before: str, behind: str, count: int, *, is_japanese: bool) -> bool:
    if is_japanese:
        if _NO_JA.match(behind):
            return False
        if _STRONG_JA.match(behind) or _BEFORE_JA.search(before):
            return True
        return count > 2 and bool(_AFTER_JA.match(behind))
    if _NO_EN.search(before):
        return False
    if _STRONG_EN.search(before) or re.match(r"(?:columns?|fields?|only)\b", behind):
        return True
    return count > 2 and bool(_BEFORE_EN.search(before))


def _forms(name: str) -> set[str]:
    whole = plain(name).strip()
    bare = re.sub(r"\s?[(\[].{1,14}[)\]]$", "", whole).strip()
    made = {whole, bare, whole.replace("_", " "), bare.replace("_", " ")}
    made |= {re.sub(r"\bno\.?$", "number", bare), re.sub(r"\bqty\b", "quantity", bare)}
    made |= {f"{bare}名"} if language_of(bare) == "ja" else set()
    return {one for one in made if len(one) > 1}
