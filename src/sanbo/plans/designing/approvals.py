"""Approvals: who is asked, for what and on which condition; each a step of its own, in turn,
before anything is written.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sanbo.plans.designing.draft import Draft, Rows
from sanbo.plans.designing.row_reading import amount_column, read_rows
from sanbo.plans.designing.row_steps import keep
from sanbo.plans.designing.wording import find, found_in, has, language_of, plain, words
from sanbo.retrieval.tokens import morphemes

_EN_DOES = (
    r"(?:must|has to|have to|needs to|need to|should|will|can|then|also|to|both|first|always|may|"
    r"is to|are to)"
)
_EN_WORD = r"(?<![A-Za-z&/'’-])[A-Za-z&/'’-]{1,30}+"


class Asked(NamedTuple):
    who: str
    condition: str
    """The words on which they are asked; empty: always."""


_NO_ACT = re.compile(
    '「[^「」]{1,30}」|(?:確認|承認)(?:者|区分|一覧|リスト|番号|日|欄|不要|書|規程)|["“][^"“”]{1,40}["”]'
)
_NO_NEED = re.compile(
    "承認は不要|承認を要しない|承認は要ら|no approval|without approval|approval is not needed"
)


_WHEN = re.compile("(?:とき|場合)は|以上は|未満は|超は")
_SEGMENTS = re.compile("(?<=に)、(?=「)|(?<=の承認)、|(?<=長)、(?=\\d)|(?<=が)、(?=\\d)")
_QUOTED_CASE = re.compile("「[^「」]{1,30}」(?=に(?:当たる|該当)|の[^、。]{1,12}があ)")


def people_in(sentence: str) -> list[Asked]:
    """Those whom a sentence makes approve, confirm or decide, from left to right."""
    segments = _SEGMENTS.split(sentence) if len(_WHEN.findall(sentence)) > 1 else []
    if len(segments) > 1:
        tail = sentence[-40:]
        return [
            one
            for segment in segments
            for one in people_in(
                segment if segment is segments[-1] else f"{segment}、{tail[tail.rfind('、') + 1 :]}"
            )
        ]
    quoted = _QUOTED_CASE.search(sentence)
    sentence = _NO_ACT.sub(lambda found: "＿" * len(found[0]), sentence)
    said = plain(sentence)
    if not has("acts.approve", said) or _NO_NEED.search(said):
        return []
    names = _japanese(sentence) if language_of(sentence) == "ja" else _english(sentence)
    condition = quoted[0] if quoted else condition_in(said)
    return [Asked(name, condition) for name in dict.fromkeys(names)]


def role_names(text: str) -> list[str]:
    """Roles that a text names, whatever they are to do."""
    made = _japanese(f"{text}承認", is_near=False) if language_of(text) == "ja" else _roles(text)
    return list(dict.fromkeys(made))


# ---- Japanese ----

_PARTICLES = frozenset(
    (
        "が",
        "に",
        "の",
        "も",
        "と",
        "へ",
        "及び",
        "および",
        "、",
        "・",
        "から",
        "か",
        "又は",
        "または",
        "さん",
        "両名",
        "により",
        "で",
    )
)


def _japanese(sentence: str, *, is_near: bool = True) -> list[str]:
    """Nouns in a row that end like a role, with a particle behind."""
    made: list[tuple[int, str]] = []
    run, before = "", ""
    at = place = 0
    roles = tuple(words("roles", "ja"))
    for one in (*morphemes(sentence), None):
        surface = one.surface if one is not None else "。"
        is_noun = one is not None and (
            one.part in ("名詞", "接尾辞", "接頭辞", "代名詞", "形状詞")
            and surface not in ("・", "両名", "双方", "二名", "一名")
        )
        if is_noun and not re.fullmatch(r"[\d０-９]+", surface):
            run, at = (run + surface, at) if run else (surface, place)
        else:
            if (
                run
                and run.endswith(roles)
                and _is_person(run)
                and surface in _PARTICLES | {"。", "が", "は"}
            ):
                if made and before == "の" and made[-1][1].endswith(("部", "課", "室", "係")):
                    made.pop()  # 業務課の登録責任者
                made.append((at, run))
            before = surface if run else ""
            run = ""
        place += len(surface)
    said = plain(sentence)
    ends = [one.start for one in found_in("acts.approve", said)]
    return [
        name for start, name in made if not is_near or any(0 < end - start < 60 for end in ends)
    ]


_NO_PERSON = re.compile(
    "^(?:部|課|室|係|者|人|長|氏|さん|[^一-龠]*全員)$|(?:社員|申請者|退職者|休職者|対象者|利用者|取引先|得意先|仕入先|本人|管理監督者|名|個人|法人|異動者|候補者|応募者|受講者|参加者|残業部|内部|外部|全部|一部|細部)$"
)


def _is_person(name: str) -> bool:
    if _NO_PERSON.search(name):
        return False
    return not (name.endswith(("部", "課", "室", "係", "人", "者")) and len(name) < 3)


# ---- English ----

_EN_SUBJECT = re.compile(
    rf"(?P<who>(?:{_EN_WORD} ){{1,9}})(?:{_EN_DOES} ){{0,3}}(?:approves?|signs?(?: (?:it|"
    rf"this|them|every|the|off))|reviews?|okays?|ok|confirms?|decides?|authori[sz]es?|"
    rf"checks?|looks?|says?|clears?|vets?|endorses?|give the)\b"
)
_EN_AGENT = re.compile(
    rf"(?:approv(?:al|ed|e)|sign-?(?:ed)?[ -]?off|reviewed|confirmed|confirmation|okayed|ok|"
    rf"okay|go-ahead|authori[sz]ed|nod|signature)(?: (?:first|it|them))? (?:from|of|by) "
    rf"(?P<who>(?:{_EN_WORD} ?){{1,8}})"
)
_EN_SHOWN = re.compile(
    rf"\b(?:show|send|give|pass|present|submit)[a-z]{{0,4}} .{{1,60}}? to (?P<who>(?:{_EN_WORD} "
    rf"?){{1,8}})|(?:ask|have|get|let|need|needs|want) (?P<who2>(?:{_EN_WORD} "
    rf"){{1,7}}?)(?:to )?(?:approve|sign|review|okay|ok|confirm|decide|check|look)"
)


def _english(sentence: str) -> list[str]:
    made: list[tuple[int, str]] = []
    flat = " ".join(sentence.split())
    for part in re.split(r"[,;:.()–]", flat):
        at = flat.find(part)
        for pattern in (_EN_SUBJECT, _EN_AGENT, _EN_SHOWN):
            for match in pattern.finditer(part):
                text = match["who"] or match.groupdict().get("who2") or ""
                made.extend((at + match.start(), name) for name in _roles(text))
    if not made:
        made = [(0, name) for name in _roles(flat.replace(",", " and"))]
    if re.search(r"\b(?:both|two people|two of them)\b", flat):
        for piece in re.split(r",", flat):
            made.extend((flat.find(piece), name) for name in _roles(piece))
    return [name for _, name in sorted(dict.fromkeys(made))]


def _roles(text: str) -> list[str]:
    """Noun phrases that end in the name of a role; joined by and, each is one."""
    roles, stops = set(words("roles", "en")), set(words("no_roles", "en"))
    made: list[str] = []
    for part in re.split(r"\b(?:and then|and|then|or)\b", text):
        tokens = part.split()
        start = 0
        best = ""
        for at, token in enumerate(tokens):
            low = token.casefold().strip("'’")
            if low in stops and token not in ("IT", "US"):
                if not (
                    low == "of"
                    and at > start
                    and tokens[at - 1].casefold() in ("head", "director", "vp", "chief")
                ):
                    start = at + 1
                continue
            if low.removesuffix("s") in roles or low in roles:
                best = " ".join(tokens[start : at + 1])
        if best.casefold().startswith(("head of", "director of", "vp of", "chief of")) or re.match(
            r"(?i)(?:head|vp|director|chief)\b", best
        ):
            more = re.search(rf"{re.escape(best)}(?: of)?(?: [A-Z][A-Za-z]{{1,20}}){{1,4}}", part)
            best = more[0] if more else best
        if (
            best
            and best.casefold()
            not in ("sales", "finance", "legal", "team", "board", "hr", "lead", "head", "chief")
        ) or best in ("HR", "Finance", "Legal"):
            made.append(best.strip("'’"))
    return made


# ---- conditions ----

_JA_IF = re.compile(
    "(?P<c>[^。]{1,80}?)(?:とき|場合|なら|であれば|があれば|あれば|たら|れば|限り|に限)"
)
_EN_IF = re.compile(
    r"\b(?:if|when|whenever|where|in case|for anything|only for|"
    r"unless)\b(?P<c>[^,;.]{1,90}?)(?=,|;|\.$|$| the [a-z ]{1,30} (?:must|has|signs|approves|"
    r"needs)| then\b| have\b| get\b)"
)
_BOUND = re.compile(
    r"\d|差異|違い|不一致|不備|該当|difference|mismatch|problem|any |error|exception"
)


def condition_in(said: str) -> str:
    """If the total is more than …: with a figure, or with something that may be there."""
    if not has("condition", f" {said} "):
        return ""
    match = _JA_IF.search(said) if language_of(said) == "ja" else _EN_IF.search(said)
    if match is None or not _BOUND.search(match["c"]):
        return ""
    text = match["c"].strip()
    approve = find("acts.approve", text)
    return "" if approve is not None and approve.start < 3 else text


_SYMBOLS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "eq": "==", "ne": "!="}
_TOTAL = re.compile("合計|総額|総計|全体|total|sum|come to|comes to|adds? up to|altogether")


class Approval(NamedTuple):
    who: str
    condition: str
    says: str


def gates(draft: Draft, approvals: Sequence[Approval], results: Mapping[str, Rows]) -> str:
    """The expression that must hold before files are written."""
    asked: dict[str, Approval] = {}
    for one in approvals:
        known = asked.get(plain(one.who))
        is_closer = known is None or (
            one.condition and not known.condition and "を超え" in one.says
        )
        if is_closer and not any(
            plain(one.who) in other and plain(one.who) != other for other in asked
        ):
            asked[plain(one.who)] = one
    passed: list[str] = []
    before = ""
    for one in asked.values():
        draft.says = one.says
        condition = _condition(draft, one.condition, results) if one.condition else ""
        given: dict[str, Any] = {
            "mode": "confirm",
            "message": draft.say("approve_message", who=one.who),
            "role": one.who,
        }
        if results:
            given["context"] = {title: rows.ref for title, rows in list(results.items())[:3]}
        needs = [part for part in (before, condition) if part]
        more = {"when": " && ".join(needs)} if needs else {}
        node = draft.add(
            "approve",
            "ui.interactive_input",
            given,
            title=draft.say("approve", who=one.who),
            who=one.who,
            **more,
        )
        draft.export(f"{node}.approved", "approved")
        is_yes = f"${{{node}.approved}} == true"
        passed.append(f"({is_yes} || !({condition}))" if condition else is_yes)
        before = passed[-1]
    return " && ".join(passed)


def _condition(draft: Draft, said: str, results: Mapping[str, Rows]) -> str:
    """The expression on which a question is asked; empty where it can't be read."""
    if said.startswith("「"):
        for rows in results.values():
            for name in rows.columns:
                if any(str(row.get(name)) == said[1:-1] for row in rows.sample):
                    fitting = keep(
                        draft, rows, [{"field": name, "operator": "eq", "value": said[1:-1]}]
                    )
                    return f"size({fitting.ref}) > 0"
    for rows in results.values():
        if rows.profile is None:
            continue
        amount = amount_column(rows.profile, said)
        if amount is None:
            continue
        is_total = bool(_TOTAL.search(said))
        text = _TOTAL.sub("", said) if is_total else said
        for phrase in (
            text,
            f"{amount}が{text}" if language_of(said) == "ja" else f"{amount} {text}",
        ):
            for reading in read_rows(phrase, rows.profile):
                numeric = [
                    one
                    for one in reading.conditions
                    if one.get("operator") in _SYMBOLS and isinstance(one.get("value"), int | float)
                ]
                if is_total and numeric:
                    return _total(draft, rows, amount, numeric[0])
                if numeric and not is_total:
                    node = keep(draft, rows, numeric)
                    return f"size({node.ref}) > 0"
    main = next(iter(results.values()), None)
    if (
        main is not None
        and re.search(
            "差異|違い|不一致|不備|あ[れるっ]|difference|mismatch|problem|any|there (?:is|are)",
            said,
        )
        and not has("totals", said)
    ):
        return f"size({main.ref}) > 0"
    draft.leave_open(draft.say("open.condition", text=said))
    return ""


def _total(draft: Draft, rows: Rows, amount: str, condition: Mapping[str, Any]) -> str:
    given = {"items": rows.ref, "aggregations": {"total": {"field": amount, "op": "sum"}}}
    node = draft.add(
        "total", "transforms.group_by_agg", given, title=draft.say("total", measures=amount)
    )
    draft.export(f"{node}.rows", "total")
    return f"${{{node}.rows.0.total}} {_SYMBOLS[condition['operator']]} {condition['value']}"
