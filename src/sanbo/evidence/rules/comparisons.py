"""Questions that set things side by side: each side is asked about by itself."""

import re

_DIFFER = r"(?:違い|相違点|相違|差異|差|違う(?:点|ところ)|比較|異なる点)"
_SIDES = r"^(?P<first>[^、。はがを]{1,40}?)と(?P<second>[^、。はがを]{1,40}?)"
_DIFFERENCE = re.compile(
    rf"{_SIDES}(?:との|の)(?:{_DIFFER})(?:点)?(?:(?:は|を|とは|について).{{0,20}})?$"
)
_DIFFERS = re.compile(
    rf"{_SIDES}と?(?:は|では|で|を)、?(?:どう|何が|どのように|どこが|どの点が)?、?"
    r"(?:違い|異なり|違う|異なる|比較し|比べ)(?:ます|です|の|て|た|教え|教|くだ|下さ|さ|か|い|ほし|欲し|もらえ|いただけ|み|せん)*$"
)
_WHICH = re.compile(
    rf"{_SIDES}と?(?:は|では|で|のうち|のうちで)?、?(?:どちら|どっち)(?:の方|のほう)?(?P<rest>[がの].{{1,40}})$"
)
# 父母が死亡したときと祖父母が死亡したときの休暇の日数を比べて
_CASES = re.compile(
    r"^(?P<first>[^、。]{2,40}?(?:とき|時|場合))と、?(?P<second>[^、。]{2,40}?(?:とき|時|場合))"
    rf"(?:で|とで)?の(?P<aspect>[^、。]{{1,30}}?)(?:(?:の|を|は)(?:{_DIFFER}|比べ|どう違|どう異な).{{0,20}})$"
)
_ENGLISH_DIFFERENCE = re.compile(
    r"\b(?:differences? between|differs? between|compar(?:e|ing|ison (?:of|between)))\s++"
    r"(?P<first>\S.{0,59}?)\s++(?:and|with|to|vs\.?|versus)\s++(?P<second>\S.{0,59}?)"
    r"(?P<aspect>\s++(?:in|with respect to|regarding|in terms of|on|for)\s++\S.{1,59}?)?"
    r"\s*+[?.!]*+$",
    re.IGNORECASE,
)
_ENGLISH_VERSUS = re.compile(
    r"^(?P<first>.{2,60}?)\s++(?:vs\.?|versus)\s++(?P<second>\S.{1,59}?)\s*+[?.!]*+$", re.IGNORECASE
)
_ENGLISH_DIFFER = re.compile(
    r"^how (?:do|does|are|is)\s++(?P<first>\S.{1,59}?)\s++(?:and|differ from)\s++"
    r"(?P<second>\S.{1,59}?)"
    r"(?:\s++(?:differ|different|compare))?\s*+[?.!]*+$",
    re.IGNORECASE,
)


def japanese_comparison(sentence: str, masked: str) -> list[str]:
    """正社員と契約社員の休暇の違い → 正社員の休暇, 契約社員の休暇; `masked` is as long."""
    text = masked.rstrip("。？?！! ")
    found = _DIFFERENCE.match(text) or _DIFFERS.match(text)
    if found:
        return _sides(_written(sentence, found, "first"), _written(sentence, found, "second"))
    found = _CASES.match(text)
    if found:
        aspect = _written(sentence, found, "aspect")
        return [f"{_written(sentence, found, side)}の{aspect}" for side in ("first", "second")]
    found = _WHICH.match(text)
    if found is None:
        return []
    first, second = _written(sentence, found, "first"), _written(sentence, found, "second")
    if first.count("の") != second.count("の"):
        return []  # 設立時の取締役と監査役: whose auditors is not said
    rest = _written(sentence, found, "rest")
    asked = rest if rest[0] == "の" else f"は{rest[1:]}"
    asked = re.sub("(?<=^は)より", "", asked)
    asked = re.sub("(?<=^は)(?:先に|早く|遅く|後に)", "いつ", asked)  # of one alone that is asked
    return [f"{first}{asked}", f"{second}{asked}"]


def _written(sentence: str, found: re.Match[str], group: str) -> str:
    return sentence[found.start(group) : found.end(group)].strip()


def _sides(first: str, second: str) -> list[str]:
    more = second.count("の") - first.count("の")
    if more == 0:
        return [f"{first}について", f"{second}について"]
    if more == 1:  # the last の leads to what they differ in
        thing, _, aspect = second.rpartition("の")
        if first.endswith(aspect):
            return [f"{first}について", f"{second}について"]
        return [f"{first}の{aspect}", f"{thing}の{aspect}"]
    if more > 1 and "の" not in first:  # 東京と大阪の宿泊費の上限
        thing, _, aspect = second.partition("の")
        return [f"{first}の{aspect}", f"{thing}の{aspect}"]
    if more == -1 and "の" not in second:  # 正社員の休暇と手当の違い
        owner = first.split("の", 1)[0]
        return [f"{first}について", f"{owner}の{second}について"]
    return []


def english_comparison(question: str) -> list[str]:
    found = _ENGLISH_DIFFERENCE.search(question)
    if found:
        aspect = found["aspect"] or ""
        return [f"{found['first'].strip()}{aspect}", f"{found['second'].strip()}{aspect}"]
    found = _ENGLISH_VERSUS.match(question)
    if found is None and re.search(r"\bdiffer|\bcompare", question, re.IGNORECASE):
        found = _ENGLISH_DIFFER.match(question)
    return [found["first"].strip(), found["second"].strip()] if found else []
