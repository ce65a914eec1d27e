"""What stands where in a question: columns, values, numbers, times, words of the table of words."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from rapidfuzz.distance import OSA

from sanbo.agents.analysis.mentions import lexicon
from sanbo.agents.analysis.mentions.scene import KnownColumn, KnownValue, Scene
from sanbo.agents.analysis.mentions.senses import LONG, Item, Kind, Sense, settled
from sanbo.agents.analysis.mentions.tokens import Token, narrowed, plain, stem, tokens
from sanbo.language.figures import Figure, find
from sanbo.language.moments import FULL_MONTHS, MONTHS, Moment, Stated, month_number
from sanbo.language.worded_amounts import worded_amounts

FAINT = 0.4
"""A match below it is none."""
NEAR = 0.16
"""Of two readings of the same words, the weaker counts only if it is so near."""
_FILLER = 0.3
_OPENING = re.compile("(?:じゃあ?|では|それでは|それなら|えっと|ちなみに|あと)[、,]?")
_NOUN = re.compile("[一-龠]+")
_JOINS = frozenset(("、", ",", "・", "と", "や", "and", "&", "/", "及び", "かつ", "×"))
_QUOTED = re.compile(
    r"[「『\"“](?P<text>[^「」『』\"“”]{1,100})[」』\"”]|(?<![a-z])'(?P<single>[^']{1,100})'(?![a-z])"
)


def items_of(question: str, scene: Scene) -> list[Item]:
    """The question from left to right, each stretch with what it may mean."""
    question = _spelt(plain(question), scene)
    if opening := _OPENING.match(question):
        question = " " * opening.end() + question[opening.end() :]
    text = question.casefold()
    if len(text) != len(question):  # a letter that has no lower case of its own length
        question = text
    dated = _SHORT_TIME.sub(lambda time: time[0].upper(), text) if scene.dates else text
    figures = find(dated)
    worded = worded_amounts(text)
    edges = {one.end for one in figures if one.kind == "date" or _COUNTED.match(text, one.end)}
    edges.update(one.end for one in worded)
    words = tokens(text, scene.terms, tuple(sorted(edges)))
    spans: dict[tuple[int, int], list[Sense]] = defaultdict(list)
    for start, end, sense in _senses(question, text, words, (figures, worded), scene):
        spans[start, end].append(sense)
    items = [
        _item(text, words, start, end, spans.get((start, end), ()))._replace(
            is_capital=question[words[start].start].isupper() and start > 0
        )
        for start, end in _cover(words, spans)
    ]
    return settled(items, text, words, scene)


def _senses(
    question: str,
    text: str,
    words: Sequence[Token],
    figures: tuple[Sequence[Figure], Sequence[Figure]],
    scene: Scene,
) -> Iterator[tuple[int, int, Sense]]:
    yield from _words(words, scene)
    places = lexicon.spoken(words)
    said = [words[place].form for place in places]
    for at, first in enumerate(said):
        yield from _columns(words, places, said, at, scene)
        for name, value in scene.values.get(first, ()):
            if tuple(said[at : at + len(name)]) == name:
                start, end = places[at], places[at + len(name) - 1] + 1
                is_capital = question[words[start].start].isupper()
                if _is_clear(value, words, start, end, scene, is_capital=is_capital) and _is_named(
                    value, words[start:end], question, scene
                ):
                    yield start, end, Sense("value", value.value, value.quality, value=value)
                elif end - start == 1 and _is_kind(value, words[start], scene):
                    yield start, end, Sense("value", value.value, 0.68, value=value)
    yield from _written(text, words, scene)
    yield from _subjects(words, scene)
    yield from _degrees(text, words, scene)
    yield from _at_least(words)
    yield from _percent(words)
    yield from _misspelt(words, scene)
    yield from _when(text, words, figures[0], scene)
    yield from _worded(text, words, figures[1])
    yield from _short_days(text, words) if scene.dates else ()
    for start, end, literal in _literals(text, words):
        yield start, end, Sense("literal", literal, 1.1)


def _columns(
    words: Sequence[Token], places: Sequence[int], said: Sequence[str], at: int, scene: Scene
) -> Iterator[tuple[int, int, Sense]]:
    """Names of columns that begin at this word."""
    word = words[places[at]]
    for name, column, quality in scene.column_names.get(said[at], ()):
        if quality < FAINT or tuple(said[at : at + len(name)]) != name:
            continue
        known, end = scene.columns[column], places[at + len(name) - 1] + 1
        is_partly = quality < 0.9 and len(name) == 1 and not known.is_date
        ahead = words[places[at] - 1].form if places[at] else ""
        is_row = _is_row(word, known, scene) and (ahead,) not in lexicon.phrases_of(*_FIGURES)
        if is_partly and (_is_deed(word, column) or is_row):
            continue
        behind = tuple(said[at + len(name) : at + len(name) + 1])
        if (
            known.is_date
            and word.is_japanese
            and quality < 0.9
            and behind in lexicon.phrases_of("count")
        ):
            yield places[at], end, Sense("word", "rows", quality)  # 訪問件数, of 訪問日
        elif known.is_date and tuple(said[at + 1 : at + 2]) in lexicon.phrases_of(*_TIME_UNITS):
            yield places[at], end, Sense("column", column, max(quality, 0.95))  # start year
        elif known.is_date and _is_followed_by_time(said, at, scene):
            yield places[at], end, Sense("column", column, quality)  # amount due
        elif _is_dated(scene, column, quality, word):
            yield places[at], end, Sense("word", "rows", quality)
        else:
            most = 0.85 if _is_other_form(scene, column, word) else 1.0
            is_figure = quality >= 0.7 and known.is_measure
            sure = min(quality, most)  # open is not Opened
            yield places[at], end, Sense("column", column, sure, is_figure=is_figure)


def _is_followed_by_time(said: Sequence[str], at: int, scene: Scene) -> bool:
    """The amount due in June, invoices due before July."""
    is_time = {*said[at + 1 : at + 2]} & lexicon.set_of("before_times") - {"by", "and", "of"}
    is_deed = said[at] in _DEADLINES or (at > 0 and _is_figure(said[at - 1], scene))
    return bool(is_time) and is_deed


def _is_figure(form: str, scene: Scene) -> bool:
    return any(
        name == (form,) and quality >= 0.7 and scene.columns[column].is_measure
        for name, column, quality in scene.column_names.get(form, ())
    )


def _when(
    text: str, words: Sequence[Token], figures: Sequence[Figure], scene: Scene
) -> Iterator[tuple[int, int, Sense]]:
    """Numbers and times."""
    for figure in figures:
        span = _tokens_of(words, figure.start, figure.end)
        if span is not None:
            kind: Kind = "when" if figure.kind == "date" else "number"
            quality = 1.1 if span[1] - span[0] > 1 else 1.0  # April 2020 is one time, not two
            if kind == "when" and not scene.dates and not scene.years:
                quality = 0.95  # 令和6年度 is a word, where no column has dates
            yield *span, Sense(kind, text[figure.start : figure.end], quality, figure=figure)
            if (
                kind == "when"
                and span[1] < len(words)
                and words[span[1]].text == "末"
                and "まで" in text
            ):
                said = text[figure.start : figure.end + 1]  # 6月末まで
                yield span[0], span[1] + 1, Sense(kind, said, quality + 0.1, figure=figure)
    for stated in (*_parts_of_years(text), *_slashed(text)) if scene.dates else ():
        span = _tokens_of(words, stated.start, stated.end)
        if span is not None:
            figure = Figure(stated.start, stated.end, "date", stated=stated)
            yield *span, Sense("when", text[stated.start : stated.end], 1.3, figure=figure)
    for start, end, stated in _bare_times(words, scene):
        figure = Figure(words[start].start, words[end - 1].end, "date", stated=stated)
        sure = 1.2 if start and words[start - 1].text in ("in", "during", "since") else 1.05
        yield start, end, Sense("when", words[start].text, sure, figure=figure)


def _worded(
    text: str, words: Sequence[Token], figures: Sequence[Figure]
) -> Iterator[tuple[int, int, Sense]]:
    """Words that may also be numbers: once; and what can be nothing else: half an hour."""
    for figure in figures:
        span = _tokens_of(words, figure.start, figure.end)
        if span is not None:
            quality = 1.0 if span[1] - span[0] > 1 else 0.85
            yield *span, Sense("number", text[figure.start : figure.end], quality, figure=figure)


_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAYS_JA = "月火水木金土日"
_SHORT_DAYS = re.compile(
    r"\b(?:mon|tues?|thu|thurs?|fri)s?\b"
    r"|(?:(?<=on )|(?<=on a )|(?<=every )|(?<=each )|(?<=by ))(?:wed|sat|sun)s?\b"
    rf"|\b(?:{'|'.join(_DAYS)})s?(?: ?[/&,+-] ?| and | or | to )(?:{'|'.join(_DAYS)})s?\b"
    rf"|(?<![\d一-龠])[{_DAYS_JA}](?:[・、,/と][{_DAYS_JA}])+(?![一-龠])"
)
_ONE_DAY = re.compile(rf"(?P<en>{'|'.join(_DAYS)})(?:s|rs?)?|(?P<ja>[{_DAYS_JA}])")


def _short_days(text: str, words: Sequence[Token]) -> Iterator[tuple[int, int, Sense]]:
    """On a Sat, Sat/Sun, 金・土; not who sat an exam, and not by month and day (月と日)."""
    for found in _SHORT_DAYS.finditer(text):
        if set(found[0]) & set(_DAYS_JA) == {"月", "日"}:
            continue
        for day in _ONE_DAY.finditer(text, *found.span()):
            span = _tokens_of(words, *day.span())
            at = _DAYS.index(day["en"]) if day["en"] else _DAYS_JA.index(day["ja"])
            if span is not None:
                yield *span, Sense("word", f"weekday.{at + 1}", 0.85)


def _percent(words: Sequence[Token]) -> Iterator[tuple[int, int, Sense]]:
    """In %, ％で: a share, where no number stands before it."""
    for at, word in enumerate(words[1:], 1):
        behind = words[at + 1].text if at + 1 < len(words) else ""
        is_asked = words[at - 1].text in ("in", "as", "を", "what", "何", "which") or behind == "of"
        if word.text == "%" and is_asked:
            yield at, at + 1, Sense("word", "share", 0.9)


def _at_least(words: Sequence[Token]) -> Iterator[tuple[int, int, Sense]]:
    """80+, once: of two nothing says which column each is of. 1回でも: once or more."""
    for at in range(1, len(words) - 1):
        is_number = words[at - 1].text[-1:] in lexicon.set_of("counted") and at > 1
        is_told = (words[at].text, words[at + 1].text) == ("で", "も")
        if is_told and is_number and words[at - 2].text.isdecimal():
            yield at, at + 2, Sense("word", "ge", 0.95)
    if sum(word.text == "+" for word in words) > 1:
        return
    for at, word in enumerate(words[1:], 1):
        ahead = words[at - 1]
        if word.text == "+" and ahead.end == word.start and ahead.text[-1].isdecimal():
            is_last = at + 1 == len(words) or words[at + 1].start > word.end
            yield from [(at, at + 1, Sense("word", "ge", 0.95))] if is_last else ()


def _words(words: Sequence[Token], scene: Scene) -> Iterator[tuple[int, int, Sense]]:
    for found in lexicon.find(words):
        quality = 0.9
        if found.sense == "filler":
            quality = _FILLER if found.end - found.start == 1 else 0.65  # side by side
            if not found.is_japanese and _is_noun_of(words[found.start : found.end]):
                continue
        if found.sense.startswith(lexicon.USED_UP) and not _is_of_stock(found.sense, scene):
            continue
        is_foreign = not found.is_japanese or "-" in found.sense
        is_figure = found.sense.startswith(lexicon.RATIO) and is_foreign
        if is_figure and not _is_made(found.sense, scene):
            continue
        if found.sense == "ongoing" and not _has_end(scene):
            continue  # Open is a status then
        if not found.is_japanese and not _is_phrase(found, words):
            continue
        if found.sense.startswith("scope.") and _names_column(
            words[found.start : found.end], scene
        ):
            continue  # forecast, where a column holds one
        yield found.start, found.end, Sense("word", found.sense, quality)


def _is_made(sense: str, scene: Scene) -> bool:
    """粗利率, where both its figures are there, or can be made; 粗利, where no column has it."""

    def is_there(concept: str) -> bool:
        return any(concept in known.concepts for known in scene.columns.values())

    whole = sense.removeprefix(lexicon.RATIO)
    if "-" in whole:
        makes = lexicon.made_of(whole)
        return all(map(is_there, whole.split("-"))) and not any(map(is_there, makes))
    return all(
        is_there(one) or (lexicon.parts_of(one) and all(map(is_there, lexicon.parts_of(one))))
        for one in whole.split("/")
    )


def _has_end(scene: Scene) -> bool:
    """Whether a column tells when each was over, if it is."""
    columns = scene.columns.values()
    return any("closed" in known.concepts and known.profile.missing for known in columns)


def _is_of_stock(sense: str, scene: Scene) -> bool:
    """在庫切れ, of a number that comes down to nothing; where it is a status, that is the value."""
    concept = sense.removeprefix(lexicon.USED_UP)
    return any(
        known.is_measure and known.profile.minimum == 0
        for known in scene.columns.values()
        if concept in known.concepts
    )


def _subjects(words: Sequence[Token], scene: Scene) -> Iterator[tuple[int, int, Sense]]:
    """Cars, of cars.csv: the rows."""
    for at, word in enumerate(words):
        if not word.is_content or word.form not in scene.subject or len(word.text) < 2:
            continue
        behind = words[at + 1] if at + 1 < len(words) else None
        ahead = words[at - 1].text if at else ""
        if behind and behind.start == word.end and _NOUN.fullmatch(behind.text):
            continue  # 販売額 is no 販売
        is_asked = ahead in _BEFORE_GROUPS or (behind and behind.text in _BEHIND_GROUPS)
        if word.form not in scene.column_names or not is_asked:  # どの都道府県 is a column
            yield at, at + 1, Sense("word", "rows", 0.85)


_DEGREES = {"高い": "高", "低い": "低", "大きい": "大", "小さい": "小"}


def _degrees(text: str, words: Sequence[Token], scene: Scene) -> Iterator[tuple[int, int, Sense]]:
    """優先度が高い, where that is one of its values."""
    for at, word in enumerate(words):
        if at < 2 or (at + 1 < len(words) and words[at + 1].text == "順"):
            continue
        said = text[: words[at - 1].start]
        named = {column for column in scene.columns if said.endswith(narrowed(column))}
        for said, value in scene.values.get(_DEGREES.get(word.form, ""), ()):
            if len(said) == 1 and value.column in named:
                yield at, at + 1, Sense("value", value.value, 1.1, value=value)


_FIGURES = ("high", "low", "top", "max", "min", "mean", "sum", "median")
"""Behind them stands what is measured: the highest claim."""


def _is_row(word: Token, known: KnownColumn, scene: Scene) -> bool:
    """Claims, where each has a Claim No: the rows, and not the Amount Claimed."""
    is_noun = known.is_measure and word.form in scene.deeds and word.form.isascii()
    return is_noun and word.text not in known.name.casefold().split()


def _is_deed(word: Token, column: str) -> bool:
    """Calls handled, run a test: a verb that says nothing, and no Handle Time or Running Time."""
    own = {part.rstrip("s") for part in re.findall("[a-z]+", column.casefold())}
    is_own = word.form in {stem(part) for part in own}  # not what another word for it is
    is_other = is_own and not word.is_japanese and word.text.rstrip("s") not in own
    return is_other and (word.form,) in lexicon.phrases_of("filler")


def _is_noun_of(words: Sequence[Token]) -> bool:
    """Which book, where booked says nothing: the verb's bare form is a thing, and may mean much."""
    said = words[0].text
    return len(words) == 1 and not said.startswith(lexicon.fillers().get(words[0].form, ()))


def _names_column(words: Sequence[Token], scene: Scene) -> bool:
    said = tuple(word.form for word in words)
    return any(
        name == said and quality >= FAINT
        for name, _, quality in scene.column_names.get(said[0], ())
    )


def _is_dated(scene: Scene, column: str, quality: float, word: Token) -> bool:
    """Bills, of Bill date: what has the date, not when it was; billed may be either."""
    is_part = scene.columns[column].is_date and quality < 0.9 and not word.is_japanese
    return is_part and word.form not in _DATES and not word.text.endswith("ed")


def _is_other_form(scene: Scene, column: str, word: Token) -> bool:
    is_participle = scene.columns[column].is_date and column.casefold().endswith("ed")
    return is_participle and not word.text.endswith("ed")


_BEFORE_GROUPS = frozenset(("どの", "各", "which", "each", "every", "per", "by"))
_BEHIND_GROUPS = frozenset(("ごと", "別", "毎"))
_TIME_UNITS = ("unit.year", "unit.month", "unit.quarter", "unit.week")
_DATES = frozenset(("dat", "date", "day", "time", "when"))
_DEADLINES = frozenset(map(stem, ("due", "expiry", "deadline")))
_BEFORE_NOUNS = frozenset(("per", "each", "every", "an", "the", "of", "a", "by"))


def _is_phrase(found: lexicon.Found, words: Sequence[Token]) -> bool:
    """Sales per order | by region; sales per customer, where no column counts customers."""
    ahead = words[found.start - 1].text if found.start else ""
    behind = words[found.end] if found.end < len(words) else None
    if found.sense == "chart.line" and words[found.start].text == "lines":
        return ahead not in ("many", "which", "all", "these", "those")  # lines are over budget
    if found.sense == "share" and words[found.end - 1].text in ("total", "whole"):
        return behind is None or not behind.is_content  # as a percentage of total claimed
    if found.sense == "too":
        return found.end >= len(words) - 1  # too long
    is_long = found.end - found.start > 1
    if (
        found.sense == "trend"
        and is_long
        and words[found.end - 2].text in ("the", "whole", "entire", "full")
    ):
        return words[found.end - 1].text[-1] == "s"  # over the years; over the year is all of it
    is_noun = found.start > 0 and words[found.start - 1].text in _BEFORE_NOUNS
    is_noun |= words[found.start].text == "orders"
    return not (found.sense == "order" and found.end - found.start > 1 and is_noun)


def _written(text: str, words: Sequence[Token], scene: Scene) -> Iterator[tuple[int, int, Sense]]:
    """Names and values as they are written, whatever forms a dictionary gives their parts."""
    for found in scene.terms.finditer(text):
        span = _tokens_of(words, *found.span())
        if span is None:
            continue
        for column in scene.written.get(found[0], ()):
            yield *span, Sense("column", column)
        for value in scene.written_values.get(found[0], ()):
            yield *span, Sense("value", value.value, 1.0, value=value)


def _misspelt(words: Sequence[Token], scene: Scene) -> Iterator[tuple[int, int, Sense]]:
    """expectation, of expected; remotely: a word that nobody knows, in another form."""
    phrases = lexicon.phrases()
    whole_dates = [name for name in scene.dates if not scene.columns[name].profile.missing]
    for at, word in enumerate(words):
        if word.is_japanese or len(word.text) < LONG or not word.text.isalpha():
            continue
        if word.form in phrases or word.form in scene.column_names or word.form in scene.values:
            continue
        for name, known in scene.columns.items():
            whole = known.names[0].forms if known.names else ()
            if _is_of_deed(word.form, whole[0] if whole else "") and whole_dates == [name]:
                yield at, at + 1, Sense("word", "rows", 0.85)  # shipments, of Ship Date
            elif any(_derived(word.form, form) for form in whole):
                yield at, at + 1, Sense("column", name, 0.68)
            elif len(whole) == 1 and _is_done_by(word.form, whole[0]):
                yield at, at + 1, Sense("word", "rows", 0.68)
        for said, value in scene.values.get(stem(word.text.removesuffix("ly")), ()):
            if len(said) == 1 and word.text.endswith("ly"):
                yield at, at + 1, Sense("value", value.value, 0.68, value=value)


_WORD = re.compile(r"(?<![A-Za-z0-9'\"“「『-])[A-Za-z][a-z]{3,}(?![A-Za-z0-9'\"”-])")


def _spelt(question: str, scene: Scene) -> str:
    """slaes per catagory: a word that is none, almost one that the table or a question has."""

    headings, values = scene.spellings()

    def corrected(found: re.Match[str]) -> str:
        word = found[0].casefold()
        is_name = found[0] != word and found.start() > 0 and len(word) <= _NAME
        if is_name or word in headings or word in values or lexicon.is_word(word):
            return found[0]
        if any(_is_slip(word, one) for one in values):
            return found[0]  # another company may be called almost so
        is_long = found[0] == word or found.start() == 0
        for known in (headings, lexicon.vocabulary() if is_long else ()):
            near = {stem(one): one for one in known if _is_slip(word, one)}
            near |= {stem(one): one for one in headings if known is headings and _lacks(word, one)}
            if len(near) == 1:
                return next(iter(near.values()))
        return found[0]

    return _WORD.sub(corrected, question)


_NAME = 6
"""Letters of a word with a capital that may well be a name."""


def _is_slip(word: str, known: str) -> bool:
    """One letter too many, too few, or two changed about; in a short word only these."""
    if word[0] != known[0] or abs(len(word) - len(known)) > 1:
        return False
    if len(word) <= LONG and sorted(word) != sorted(known):
        return False
    return OSA.distance(word, known) == 1


def _lacks(word: str, known: str) -> bool:
    """orgin: a letter was left out, of a name that the table has."""
    is_short = len(word) == LONG and len(known) == LONG + 1 and word[0] == known[0]
    return is_short and OSA.distance(word, known) == 1


_ROOT = 5
_DEEDS = re.compile("c?(?:ment|ation|ion|al)")


def _is_of_deed(said: str, form: str) -> bool:
    """Shipments of Ship Date, applications of Applied On; who did it is somebody."""
    is_begun = len(form) > 3 and said.startswith(form)
    return is_begun and _DEEDS.fullmatch(said, len(form)) is not None


def _derived(said: str, form: str) -> bool:
    """expectation, of expected: most of the shorter one, from the beginning."""
    shared = 0
    for one, other in zip(said, form, strict=False):
        if one != other:
            break
        shared += 1
    is_like = shared >= _ROOT and shared >= min(len(said), len(form)) - 1
    return is_like and not _is_done_by(said, form)


def _is_done_by(said: str, form: str) -> bool:
    """Claims, where each has a claimant: what the rows are."""
    return form.startswith(said) and form[len(said) :] in ("er", "or", "ant", "ent", "ee", "ist")


_YEARS = range(1900, 2101)
_SHORT_TIME = re.compile(
    r"(?<![a-z0-9])(?:q[1-4]|[1-4]q|h[12]|fy)(?![a-z])|(?<=\d{4})[qh](?=[1-4](?![a-z0-9]))"
)
_COUNTED = re.compile("台|しか|だけ|のみ")
"""Behind a number, where no word goes over: 30人|台, 1回|しか."""
_HALVES = {"上": 1, "下": 2, "前": 1, "後": 2, "first": 1, "1st": 1, "second": 2, "2nd": 2}
_FOURTHS = {**_HALVES, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4, "final": 4}
_PARTS = re.compile(
    r"(?<!年度)(?<!年)(?<!年の)(?<!年度の)(?<!\d)(?P<ja>[上下](?=半?期)|(?<![代月週日時間合戦])[前後](?=半))半?期?(?!比)|\b(?P<which>first|1st|second|2nd|third|3rd|fourth|4th"
    r"|last|final)[ ](?P<part>half|quarter)(?![ ](?:of|in)[ ](?:the|this)[ ](?!year|fiscal))"
    r"(?:[ ]of)?(?:[ ](?P<fiscal>fy[ ]?)?(?P<year>\d{4}))?\b"
)


def _has_year(scene: Scene, year: str) -> bool:
    """More in 2024 than 2023: the table has rows of both, and it is no amount."""
    known = [scene.columns[name].profile for name in scene.dates]
    return any(str(one.minimum)[:4] <= year <= str(one.maximum)[:4] for one in known)


_BETWEEN_YEARS = frozenset(("than", "most", "least", "over"))
"""Rose the most 2023 to 2024, income 2024 over 2023."""


def _bare_times(words: Sequence[Token], scene: Scene) -> Iterator[tuple[int, int, Stated]]:
    """A year or a month that stands alone: in 2019, between June and August."""
    if not (scene.dates or scene.years):
        return
    years = [at for at, word in enumerate(words) if word.text.isdecimal() and len(word.text) == 4]
    held = [at for at in years if _has_year(scene, words[at].text)]
    is_told = len(held) > 1 or any(words[at - 1].text in ("in", "during") for at in years if at)
    for at, word in enumerate(words):
        before = words[at - 1].text if at else ""
        beside = {words[other].text for other in (at - 2, at + 2) if 0 <= other < len(words)}
        is_short = word.text in _SHORT_MONTHS
        if is_short and at + 1 < len(words) and words[at + 1].start == word.end:
            continue  # JANコード
        if word.text in _MONTHS and (
            not (is_short or word.text in _ALSO_WORDS)
            or before in lexicon.set_of("before_times")
            or not beside.isdisjoint(_MONTHS)  # march to may
        ):
            yield at, at + 1, Stated(word.start, word.end, Moment(month=month_number(word.text)))
        elif (
            at in years
            and int(word.text) in _YEARS
            and (
                before not in lexicon.set_of("before_amounts")
                or (before in _BETWEEN_YEARS and is_told and _has_year(scene, word.text))
            )
            and not (
                at + 1 < len(words) and words[at + 1].text in ("円", "人", "件", "個", "yen", "%")
            )
        ):
            yield at, at + 1, Stated(word.start, word.end, Moment(year=int(word.text)))


_MONTHS = frozenset((*FULL_MONTHS.split("|"), *MONTHS, "sept"))
_SHORT_MONTHS = frozenset((*MONTHS, "sept")) - frozenset(FULL_MONTHS.split("|"))
_ALSO_WORDS = frozenset(("mar", "march", "may"))
_SLASHED = re.compile(r"(?<![a-z0-9/.,-])(\d{1,2})/(\d{1,2})(?![a-z0-9/.,-])")


_BOUND = re.compile("から|まで|以降|以前|以後|より|時点")


def _slashed(text: str) -> Iterator[Stated]:
    """6/1から6/15: the month first, in English only where one of them can't be the other way."""
    found = list(_SLASHED.finditer(text))
    if len(found) == 1 and not _BOUND.match(text, found[0].end()):
        return  # 売上の1/3
    pairs = [(int(one[1]), int(one[2])) for one in found]
    is_month_first = any(second > 12 for _, second in pairs) or not text.isascii()
    if pairs and not is_month_first and any(first > 12 for first, _ in pairs):
        pairs, is_month_first = [(second, first) for first, second in pairs], True
    for one, (month, day) in zip(found, pairs, strict=True):
        if is_month_first and 1 <= month <= 12 and 1 <= day <= 31:
            yield Stated(one.start(), one.end(), Moment(month=month, day=day))


def _parts_of_years(text: str) -> Iterator[Stated]:
    """上期, the first half of 2016, the third quarter."""
    for found in _PARTS.finditer(text):
        year = int(found["year"]) if found["year"] else None
        if found["part"] == "quarter":
            moment = Moment(year=year, quarter=_FOURTHS[found["which"]])
        elif (half := _HALVES.get(found["ja"] or found["which"])) is not None:
            moment = Moment(year=year, half=half)
        else:
            continue
        yield Stated(*found.span(), moment, bool(found["fiscal"]))


MOST_NAMES = 60
"""Values of a column with more are names of things, and stand as such: with a capital letter."""


def _is_named(value: KnownValue, words: Sequence[Token], question: str, scene: Scene) -> bool:
    """Wanted is a film, wanted is not."""
    if any(word.is_japanese for word in words):
        return True
    written = " ".join(word.text for word in words)
    if value.quality == 1 and not _is_written(written, narrowed(value.value)):
        return False
    column = scene.columns[value.column].profile
    if column.distinct <= MOST_NAMES:
        return True
    return question[words[0].start].isupper() or question[max(0, words[0].start - 1)] in "\"'“"


def _is_kind(value: KnownValue, word: Token, scene: Scene) -> bool:
    """hires, of Hired: one of few values, in another form."""
    few = scene.columns[value.column].profile.distinct <= MOST_NAMES
    return few and value.quality == 1 and not word.is_japanese and word.is_content


def _is_written(said: str, value: str) -> bool:
    """But for blanks, signs and the plural."""

    def plain(text: str) -> str:
        bare = "".join(letter for letter in text if letter.isalnum())
        return bare.removesuffix("s").removesuffix("e")

    return plain(said) == plain(value)


_KANJI = re.compile("[㐀-鿿](?<![年月日時分秒週円])")


def _is_clear(
    value: KnownValue,
    words: Sequence[Token],
    start: int,
    end: int,
    scene: Scene,
    *,
    is_capital: bool,
) -> bool:
    """A letter or a number is one only beside its column's name; 女 and 東 are words."""
    text = "".join(token.text for token in words[start:end])
    if len(text) > 1 and not text.isdecimal() and text not in ("no", "yes"):
        return True
    if _KANJI.fullmatch(text) and text not in lexicon.set_of("counted"):
        ahead = words[start - 1] if start else None
        is_place = ahead is not None and ahead.text == "の"  # 店舗の中で: where, and no size
        is_alone = ahead is None or not ahead.is_content or ahead.end < words[start].start
        return is_alone and not is_place
    if is_capital and text not in ("i", "a"):
        return True
    beside = {token.form for token in words[max(0, start - 2) : start]}
    beside |= {token.form for token in words[end : end + 2]}
    names = scene.columns[value.column].names
    return any(form in beside for name in names if name.quality >= FAINT for form in name.forms)


def _tokens_of(words: Sequence[Token], start: int, end: int) -> tuple[int, int] | None:
    inside = [at for at, word in enumerate(words) if word.end > start and word.start < end]
    if not inside or words[inside[0]].start < start or words[inside[-1]].end > end:
        return None
    return inside[0], inside[-1] + 1


def _literals(text: str, words: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    for quoted in _QUOTED.finditer(text):
        span = _tokens_of(words, *quoted.span())
        if span is not None:
            yield *span, quoted["text"] or quoted["single"]
    for found in lexicon.find(words):
        if found.sense not in ("contain", "starts", "ends"):
            continue
        if found.is_japanese:
            # 店舗名に宿を含む: what stands between the two particles.
            end = found.start - 1
            if end < 1 or words[end].text not in ("を", "が", "で", "から", "の"):
                continue
            start = end
            while start > 0 and (words[start - 1].is_content or words[start - 1].text == "ー"):
                start -= 1
            if start < end and start > 0 and words[start - 1].text in ("に", "が", "は"):
                yield start, end, text[words[start].start : words[end - 1].end]
        elif found.end < len(words) and not words[found.end].is_sign:
            word = words[found.end]
            if word.text not in ("a", "an", "the") and not any(
                (word.form,) in lexicon.phrases_of(one) for one in ("both", "and_or")
            ):
                yield found.end, found.end + 1, word.text


def _cover(
    words: Sequence[Token], spans: dict[tuple[int, int], list[Sense]]
) -> list[tuple[int, int]]:
    """The stretches that together explain most of the question, longer ones first."""
    by_end: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for (start, end), senses in spans.items():
        content = sum(1.0 if word.is_content else 0.2 for word in words[start:end])
        quality = max(sense.quality for sense in senses)
        is_name = any(sense.kind == "column" for sense in senses)
        more = (0.12 if is_name else 0.06) * (end - start - 1)
        by_end[end].append((start, quality * content + more))
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(words) + 1):
        step = (best[end - 1][0], end - 1)
        for start, weight in by_end[end]:
            if best[start][0] + weight > step[0]:
                step = (best[start][0] + weight, start)
        best.append(step)
    cover: list[tuple[int, int]] = []
    end = len(words)
    while end > 0:
        start = best[end][1]
        cover.append((start, end))
        end = start
    return cover[::-1]


def _item(text: str, words: Sequence[Token], start: int, end: int, senses: Sequence[Sense]) -> Item:
    written = text[words[start].start : words[end - 1].end]
    is_japanese = any(word.is_japanese for word in words[start:end])
    is_content = any(word.is_content for word in words[start:end])
    first = words[start]
    if end - start == 1 and written in _JOINS:
        senses = (Sense("join", written),)
    elif not senses:
        kind: Kind = "unknown" if is_content else "glue"
        senses = (Sense(kind, first.form if not is_content else written),)
    else:
        if any(sense.kind == "column" and sense.quality == 1 for sense in senses):
            senses = [sense for sense in senses if sense.kind != "word"]  # 個数, where it is one
        if any(sense.kind == "column" and sense.is_figure for sense in senses):
            senses = [sense for sense in senses if sense.name != "rows"]  # sales, of sales.csv
        if any(sense.kind == "value" and sense.quality == 1 for sense in senses):
            senses = [sense for sense in senses if sense.name != "style"]  # the Variable tariff
        most = max(sense.quality for sense in senses)
        kept = {
            (sense.kind, sense.name): sense
            for sense in sorted(senses, key=lambda sense: sense.quality)
            if sense.quality >= most - NEAR
        }
        senses = tuple(sorted(kept.values(), key=lambda sense: -sense.quality))
    return Item(start, end, written, tuple(senses), is_japanese, is_content)
