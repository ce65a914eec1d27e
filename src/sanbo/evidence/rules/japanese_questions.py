"""Takes a Japanese question apart: several questions, clauses, things to tell one by one."""

import re
from collections.abc import Sequence

from sanbo.evidence.rules.comparisons import japanese_comparison
from sanbo.evidence.rules.topics import Topic, carried, is_quality, topic_of
from sanbo.language.questions import INTERROGATIVE, has_interrogative

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
_EACH = re.compile(r"^(?P<things>[^はがを]+)(?P<rest>(?:は|が|を|では|には|の.{1,12}は).*)$")
# いつ誕生したのかという過程: asked within, not by the question.
_EMBEDDED = re.compile("か(?:という|といった|について|に関する|どうか|否か|を)")
_PREDICATE = re.compile("[はがをに]|[ぁ-ん]{3}")
_LEADING_ON = re.compile(r"(?:(?<=[^ぁ-ん])|(?<=いつ|どこ|まで|から)|(?<=いくら))で$")
_AND = re.compile(r"と、?|、|および|及び|並びに|ならびに")


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


# ---- 〜の〜と〜を教えてください ------------------------------------------------------------


def _things(sentence: str, masked: str) -> list[str]:
    found = _TELL.match(masked)
    if found is None:
        return []
    listed = masked[: found.end("things")]
    if has_interrogative(listed) or _PREDICATE.search(listed):
        return []
    cuts = [mark.span() for mark in _AND.finditer(listed)]
    edges = [0, *(edge for cut in cuts for edge in cut), len(listed)]
    things = [sentence[a:b].strip() for a, b in zip(edges[::2], edges[1::2], strict=True)]
    counts = [thing.count("の") for thing in things]
    if not all(things) or not cuts:
        return []
    apart = all("、" in masked[start:end] for start, end in cuts)
    if all(counts) and (apart or len(set(counts)) == 1):
        return things
    if counts[0] == 1 and not any(counts[1:]):  # 有給休暇の日数と申請方法
        owner = things[0].split("の", 1)[0]
        return [things[0], *(f"{owner}の{thing}" for thing in things[1:])]
    return []  # 研究と開発の予算: one budget or two things


def _named(text: str) -> str:
    """As a heading names it: without ですか, and a verb that only led on in its plain stem."""
    short = _ENDING.sub("", text)
    short = re.sub(r"(?<=[一-鿿ァ-ヶー])して?$", "", short)
    short = re.sub(r"(?<=[えけせてねべめれげ])て$", "る", short)
    return _LEADING_ON.sub("", short) or text
