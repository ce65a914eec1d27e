"""Takes a Japanese question apart: several questions, clauses, things to tell one by one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sanbo.language.questions import INTERROGATIVE, has_interrogative
from sanbo.retrieval.tokens import morphemes

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


_TOPIC = re.compile(r"^(?P<words>.{1,60}?)(?:とは|では|には|は)(?![ぁ-ん]?ず)(?P<rest>.*)$")
_QUALITIES = """
高さ 長さ 広さ 重さ 大きさ 深さ 速さ 幅 面積 人口 距離 標高 日数 期間 期限 期日 締切 締め切り 納期
金額 上限 下限 料金 費用 価格 単価 代金 場所 会場 住所 所在地 目的 理由 原因 対象 対象者 条件 要件
資格 手続き 手続 手順 方法 提出先 申請先 連絡先 問い合わせ先 窓口 担当 担当者 責任者 定員 人数
回数 時間 時刻 日時 日程 開始 終了 開催日 完成年 設立 本社 首都 名称 略称 通称 別名 読み 意味 由来
作者 著者 設計者 監督 主演 代表 社長 会長 委員長 議長 率 割合 税率 予算 売上 利益 結果 効果 影響
内容 概要 範囲 種類 特徴 罰則 例外 注意点 必要書類 書類 支払方法 支払期限 支払日 支給日 支給額
申請方法 申請期限 有効期限
"""
_QUALITY = frozenset(_QUALITIES.split())
_QUALITY_END = re.compile(
    r"(?:さ|者|日|先|額|数|率|費|年|地|名|料|金|点|法|期限|方法|期間|時間|時期|場所|理由|条件|窓口|上限|下限|書類|年齢|番号)$"
)

# A cost has qualities of its own: its limit, who bears it.
_IS_PAID = re.compile("[費料額金]$")


@dataclass(frozen=True)
class Topic:
    thing: str
    """東京タワー"""
    quality: str = ""
    """高さ, in 東京タワーの高さは."""


def topic_of(text: str) -> Topic | None:
    """None where a question names nothing that it is about: いつまでに申請しますか."""
    found = _TOPIC.match(text.strip())
    if found is None:
        return None
    words = found["words"].strip("、 　")
    if not words or has_interrogative(words):
        return None
    thing, of, quality = words.rpartition("の")
    if of and thing and is_quality(quality) and not _IS_PAID.search(quality):
        return Topic(thing, quality)
    return Topic(words)


def is_quality(words: str) -> bool:
    """Something of something else: a height, a deadline, a person in charge."""
    return words in _QUALITY or (len(words) <= 6 and _QUALITY_END.search(words) is not None)


def names_its_topic(question: str) -> bool:
    """日当はいくらですか: a thing of its own, and no deed or quality of something said before."""
    topic = topic_of(question)
    if topic is None or not has_interrogative(question):
        return False
    if "の" in topic.thing or topic.quality:
        return True
    last = [*morphemes(topic.thing)][-1]
    return not last.is_deed and (not is_quality(topic.thing) or bool(_IS_PAID.search(topic.thing)))


def carried(subject: Topic, text: str) -> str:
    """The text with the subject where it names none, or only a quality of it."""
    own = topic_of(text)
    if own is None:
        return f"{subject.thing}は{text}"
    whole = own.thing + own.quality
    named = re.sub("^(?:主な|具体的な|必要な)", "", whole)
    if not own.quality and "の" not in whole and is_quality(named) and whole != subject.thing:
        return f"{subject.thing}の{text}"
    return text


_SENTENCE = re.compile(r"[^。？?！!]+[。？?！!]*")
_QUOTED = re.compile(
    r"「[^」]{0,400}」|『[^』]{0,400}』|（[^）]{0,400}）|\([^)]{0,400}\)|\"[^\"]*\"|“[^”]{0,400}”"
)
_PLEASANTRY = re.compile(
    r"^(?:.{0,12}(?:お世話になっております|お世話になります|お願い(?:いた)?し(?:ます|たいです)|お疲れ様です|すみません"
    r"|こんにちは)|(?:詳しく)?教えて(?:ください|下さい))$"
)
_ASKS = re.compile(
    r"[？?]|か[。]?$|(?:教えて|知りたい|説明して|示して|挙げて|述べ|まとめて|調べて)|(?:とは|は)[。]?$"
)
_POINTS_BACK = re.compile(
    r"(?:その|それ|この|これ|あの|あれ|同社|同氏|彼|そこ|ここ|そちら)(?!ぞれ)"
)
_JOINING = re.compile(
    r"^(?:また|および|及び|そして|それと|それから|さらに|更に|ならびに|並びに|かつ|あと)[、は]?"
)
# How a clause ends that another follows; what only ends in a particle is no clause.
_CLAUSE_END = re.compile(
    r"(?:[いきしちにひみりぎじびえけせてねべめれげでくずか]|ます|です|した|する)$"
)
# Ends like one, but only leads to the verb: 〜に対し、….
_NO_CLAUSE = re.compile(
    r"(?:に(?:対し|関し|より|よって|基づき|応じ|おい|とっ|かけ|つい|伴い|際し)|とし|を(?:通じ|経|含め|除き))て?$"
)
_PARTICLES = re.compile(r"^(?:[にをがはとへもや、]|から|まで|より|など|で)*$")
_ENDING = re.compile(
    r"(?:(?:(?:なの|の|ん)?(?:でしょうか|ですか|であるか|でしたか|だろうか)|(?:について|を)?(?:それぞれ)?(?:詳しく)?(?:お?教え"
    r"|お?知らせ|説明し|示し|挙げ|述べ)て?(?:ください|下さい|ほしい|もらえますか|いただけますか)?"
    r"|(?:を|が)知りたい(?:です)?)[。？?！!\s]*+|(?<![。？?！!\s])[。？?！!\s]++)$"
)
_TELL = re.compile(
    r"^(?P<things>.+?)(?:について|に関して|を|も)、?(?:それぞれ)?(?:詳しく|簡単に|具体的に)?"
    r"(?:お?教え|お?知らせ|説明し|示し|挙げ|述べ|知り|まとめ|調べ).{0,14}$"
)
_WHAT_OF = re.compile(r"^(?P<things>.+?)(?:は|って)[。？?！!\s]*+$")
# 領収書をなくしたときの手続き: what happens in the case is no predicate of the question.
_OF_A_CASE = re.compile("[^、。]{2,40}?(?:とき|時|場合|際)(?=の)")
_EACH = re.compile(r"^(?P<things>[^はがを]+)(?P<rest>(?:は|が|を|では|には|の.{1,12}は).*)$")
# いつ誕生したのかという過程: asked within, not by the question.
_EMBEDDED = re.compile("か(?:という|といった|について|に関する|どうか|否か|を)")
_PREDICATE = re.compile("[はがをに]|[ぁ-ん]{3}")
_LEADING_ON = re.compile(r"(?:(?<=[^ぁ-ん])|(?<=いつ|どこ|まで|から)|(?<=いくら))で$")
_AND = re.compile(r"と(?!き)、?|、|および|及び|並びに|ならびに")


def japanese_parts(question: str) -> list[str]:
    """Fewer than two where the question is to stay whole."""
    masked = _masked(question)
    spans = [found.span() for found in _SENTENCE.finditer(masked)]
    said = [question[start:end].strip() for start, end in spans]
    sentences = [text for text in said if not _PLEASANTRY.match(text.rstrip("。？?！! "))]
    if not sentences:
        return []
    if len(sentences) == 1:
        return _of_sentence(sentences[0]) or sentences[: len(said) - 1]
    if not all(_ASKS.search(text) for text in sentences):
        return []  # the rest says what is meant by it
    return _one_after_another(sentences)


def _masked(text: str) -> str:
    """Quotations and brackets blanked out: what stands in them divides nothing."""
    return _QUOTED.sub(lambda found: "〓" * len(found.group()), text)


def _one_after_another(sentences: Sequence[str]) -> list[str]:
    parts: list[str] = []
    subject: Topic | None = None
    for sentence in sentences:
        text = _JOINING.sub("", sentence)
        qualities = [] if subject is None else _qualities(text)
        if qualities and subject is not None:
            parts += [f"{subject.thing}の{quality}" for quality in qualities]
            continue
        if _POINTS_BACK.search(text) or (parts and not topic_of(text)):
            resolved = None if subject is None else _pointed(text, subject)
            if resolved is None:
                return []
            text = resolved
        elif subject is not None:
            text = carried(subject, text)
        subject = topic_of(text) or subject
        parts += _of_sentence(text) or [_named(text)]
    return parts


def _qualities(text: str) -> list[str]:
    """提出先と期限も教えてください: of what was spoken of before."""
    found = _TELL.match(text)
    things = _AND.split(found["things"]) if found else []
    return things if things and all(is_quality(thing) for thing in things) else []


def _pointed(text: str, subject: Topic) -> str | None:
    """その高さは → 東京タワーの高さは; None where it is not clear what is meant."""
    head = subject.thing
    for pattern, instead in (
        (r"^(?:その|この|同)", f"{head}の"),
        (r"^(?:それ|これ)(?=[はがをにの])", head),
    ):
        resolved, times = re.subn(pattern, instead, text, count=1)
        if times:
            return None if _POINTS_BACK.search(resolved) else resolved
    if _POINTS_BACK.search(text):
        return None
    return f"{head}は{text}" if has_interrogative(text) else None


def _of_sentence(sentence: str) -> list[str]:
    masked = _masked(sentence)
    compared = japanese_comparison(sentence, masked)
    if compared:
        return compared
    return _each(sentence, masked) or _clauses(sentence, masked) or _things(sentence, masked)


# ---- 〜と〜は、それぞれ… -------------------------------------------------------------------


def _each(sentence: str, masked: str) -> list[str]:
    if not re.search("それぞれ|各々|おのおの", masked):
        return []
    without = re.sub(r"、?(?:それぞれ|各々|おのおの)(?:の)?、?", "", sentence)
    found = _EACH.match(without)
    if found is None or "〓" in _masked(found["things"]) or re.search("どちら|どっち", masked):
        return []
    things = [thing.strip() for thing in _AND.split(found["things"]) if thing.strip()]
    shared = _shared_end(things)
    if len(things) < 2 or shared is None or has_interrogative(found["things"]):
        return []
    return [_named(f"{thing}{found['rest']}") for thing in shared]


def _shared_end(things: list[str]) -> list[str] | None:
    """営業部, 開発部の予算 → 営業部の予算, 開発部の予算; None where it is not clear."""
    counts = [thing.count("の") for thing in things]
    if len(set(counts)) == 1:
        return things
    first, last = things[0], things[-1]
    if counts[-1] == 1 and not any(counts[:-1]):
        end = last.split("の", 1)[1]
        return [*(f"{thing}の{end}" for thing in things[:-1]), last]
    if counts[0] == 1 and not any(counts[1:]):
        owner = first.split("の", 1)[0]
        return [first, *(f"{owner}の{thing}" for thing in things[1:])]
    return None


# ---- clauses: いつ完成し、高さは何メートルですか -------------------------------------------


def _clauses(sentence: str, masked: str) -> list[str]:
    if _EMBEDDED.search(masked):
        return []
    pieces: list[str] = []
    start = 0
    for comma in re.finditer("、", masked):
        left, right = masked[start : comma.start()], masked[comma.end() :]
        if _ends_a_question(left, right):
            pieces.append(sentence[start : comma.start()])
            start = comma.end()
    if not pieces:
        return []
    pieces.append(sentence[start:])
    return _with_subjects(pieces)


def _ends_a_question(left: str, right: str) -> bool:
    asked = list(INTERROGATIVE.finditer(left))
    if not asked or not has_interrogative(right):
        return False
    after = left[asked[-1].end() :].strip()
    own_topic = topic_of(_JOINING.sub("", right)) is not None
    if _PARTICLES.match(after):  # 何で、Bは…: only what follows tells
        ends = re.fullmatch("(?:から|まで)?で", after) is not None
        return ends and topic_of(left) is not None and (own_topic or _is_told(left))
    if _NO_CLAUSE.search(after):
        return False
    return _CLAUSE_END.search(after) is not None and (own_topic or not re.search("[てで]$", after))


def _is_told(left: str) -> bool:
    """対象者は誰で、…; but どこで、何を… asks about one deed."""
    return re.search(r"は(?:誰|いくら|いくつ|何[^でをに、]{1,30})で$|とは何で$", left) is not None


def _with_subjects(pieces: Sequence[str]) -> list[str]:
    parts: list[str] = []
    subject: Topic | None = None
    for piece in pieces:
        text = _JOINING.sub("", piece.strip())
        if _POINTS_BACK.search(text) and subject is not None:
            pointed = _pointed(text, subject)
            if pointed is None:
                return []
            text = pointed
        elif subject is not None:
            text = carried(subject, text)
        elif topic_of(text) is None:
            return []
        subject = subject or topic_of(text)
        parts.append(_named(text))
    return parts


# ---- 〜の〜と〜を教えてください, 〜の〜と〜の〜は？ -----------------------------------------


def _things(sentence: str, masked: str) -> list[str]:
    found = _TELL.match(masked) or _WHAT_OF.match(masked)
    if found is None:
        return []
    listed = masked[: found.end("things")]
    if has_interrogative(listed) or _PREDICATE.search(_OF_A_CASE.sub("", listed)):
        return []
    cuts = [mark.span() for mark in _AND.finditer(listed)]
    edges = [0, *(edge for cut in cuts for edge in cut), len(listed)]
    things = [sentence[a:b].strip() for a, b in zip(edges[::2], edges[1::2], strict=True)]
    counts = [thing.count("の") for thing in things]
    if not all(things) or not cuts:
        return []
    apart = all("、" in masked[start:end] for start, end in cuts)
    whole = all(is_quality(thing.rpartition("の")[2]) for thing in things)
    if all(counts) and (apart or whole or len(set(counts)) == 1):
        return things
    if counts[0] == 1 and not any(counts[1:]):  # 有給休暇の日数と申請方法
        owner = things[0].split("の", 1)[0]
        return [things[0], *(f"{owner}の{thing}" for thing in things[1:])]
    # 締め日と、領収書をなくしたときの手続き; but 研究と開発の予算: one budget or two things
    return things if apart and whole else []


def _named(text: str) -> str:
    """As a heading names it: without ですか, and a verb that only led on in its plain stem."""
    short = _ENDING.sub("", text)
    short = re.sub(r"(?<=[一-鿿ァ-ヶー])して?$", "", short)
    short = re.sub(r"(?<=[えけせてねべめれげ])て$", "る", short)
    return _LEADING_ON.sub("", short) or text
