"""Sources that an instruction names, and what is read from its documents."""

import re

from sanbo.plans.designing.clauses import lists_in
from sanbo.plans.designing.file_formats import format_mentions
from sanbo.plans.designing.sources import (
    Source,
    field_types,
)
from sanbo.plans.designing.vocabulary import (
    ending_of,
    has,
    language_of,
    plain,
)
from sanbo.plans.designing.work import Work

_BY_KEY = re.compile(
    r"([^\s、。をがはと]{2,15})(?:で|をキーに|を鍵に|を基準に|をもとに)(?:、|照|突|ぶつ|比|"
    r"つき|見比|マッチ|結|ひも|紐)|\b(?:by|on) (?:the )?([a-z][a-z ]{1,20})"
)


def named_sources(instruction: str) -> list[Source]:
    """Files that are named and not given: 請求書のZIPと入金明細CSVを."""
    text = plain(instruction)
    made: list[Source] = []
    for at, end, kind, is_target in format_mentions(text):
        before, word, behind = text[:at], text[at:end], text[end:]
        if is_target or kind == "word":
            continue
        noun = _noun_before(before) or _noun_behind(behind)
        label = (
            f"{noun}（{word.upper()}）"
            if noun and language_of(text) == "ja"
            else f"{noun or word} ({word})"
        )
        kinds = {"csv": "csv", "excel": "sheet", "mail": "mail"}
        made.append(Source(label.strip(), kinds.get(kind, "documents"), None, ending_of(kind)))
    return made


def _noun_before(text: str) -> str:
    match = re.search(r"([^\s、。をとにがは(]{1,20}?)の?\s?$", text)
    if match and language_of(match[1]) == "ja":
        return match[1]
    match = re.search(r"([a-z]{1,30}(?: [a-z]{1,30})?) $", text)
    skipped = ("the", "a", "an", "with", "and", "of", "from")
    return " ".join(word for word in (match[1].split() if match else []) if word not in skipped)


def _noun_behind(text: str) -> str:
    match = re.match(r" (?:file |archive )?(?:of|with) (?:the )?([a-z]+)", text)
    return match[1] if match else ""


def prepare_documents(work: Work) -> None:
    """What is read from documents; names of files as a column where rows are told apart by them."""
    draft = work.draft
    for source in work.sources:
        if source.kind == "documents":
            names = _fields_named(work.whole)
            default = draft.say("invoice_fields").split("|")
            if len(names) < 2:
                key = _BY_KEY.search(work.whole)
                named = [part.strip() for part in key.groups() if part] if key else []
                names = [*named, *(name for name in default if name not in named)]
            source.fields = field_types(names)
        if source.kind in ("tables",) and re.search("ファイル名|file ?name", work.whole):
            match = re.search(
                r"file name is the ([a-z]+)|ファイル名(?:が|は)([^\s、。()で]{1,10}?)(?:名|"
                r"で|に|$|\)|、)",
                work.whole,
            )
            source.file_column = (
                next((part for part in match.groups() if part), "")
                if match
                else draft.say("file_column")
            )
            source.file_column = source.file_column or draft.say("file_column")


_LEAD = re.compile(
    r"(?:with|of|for|read|extract|capture|pull|list|columns?|showing|containing|take|me|give|"
    r"get|the|off|out|:|table)\s?(?:the )?$|^|[、。はにをて)）]\s?$"
)


_NO_FIELD = re.compile("^(?:one|in|to|for|per|into|a |each|ください|excel|csv|zip|pdf|word)")


def _fields_named(text: str) -> list[str]:
    """What a list names to be read from each document; the longest one."""
    best: list[str] = []
    for line in text.split("\n"):
        if has("acts.pair", line):
            continue
        for names, start, end in lists_in(line):
            fields = [name for name in names if not _NO_FIELD.match(name)]
            behind = line[end : end + 8]
            is_asked = language_of(line) == "en" or re.match(
                "の?(?:一覧|表|リスト|を|が|、|だけ|項目)", behind
            )
            if _LEAD.search(line[:start]) and is_asked and len(fields) > max(1, len(best)):
                best = fields
    return best
