"""A plan by rules: clauses become a draft, each adding steps to what flows already, tried on the
samples at once.

The sources that an instruction names come first; a finished plan is changed by a further sentence.
"""

import re
from typing import Any

import yaml

from sanbo.agents.analysis.datasets import Datasets
from sanbo.documents.reading import Readers
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.designing.approvals import Approval, people_in, role_names
from sanbo.plans.designing.draft import Draft, Outline, Rows, Samples, written
from sanbo.plans.designing.judgements import checked
from sanbo.plans.designing.result import columns_told, finish
from sanbo.plans.designing.row_clauses import picked, take_clause, take_sample, without_sources
from sanbo.plans.designing.row_questions import answered
from sanbo.plans.designing.sources import (
    Material,
    Source,
    field_types,
    mention,
    sources_of,
)
from sanbo.plans.designing.table_links import put_together
from sanbo.plans.designing.wording import (
    acts_in,
    clauses,
    ending_of,
    format_mentions,
    formats_in,
    has,
    is_note,
    language_of,
    lists_in,
    plain,
    sentences,
)
from sanbo.plans.designing.work import Work, ask_bound, ask_named

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


_NUMERALS = {"二": 2, "三": 3, "四": 4, "two": 2, "three": 3, "four": 4}
_COUNT = re.compile(
    r"([2-4二三四])\s?(?:人|名)|\b([2-4]|two|three|four) (?:approvers|people|persons)"
)
_INSTEAD = re.compile(
    "代わり|かわり|変更|変え|ではなく|instead|replace|change .{0,40} to|rather than|switch"
)
_APPROVER = re.compile("承認|決裁|approv|sign")
_WRITES = ("excel.write", "excel.update_workbook", "file.write_csv", "file.fill_template")


def with_approvers(text: str, change: str, language: Language) -> str | None:
    """The plan with those approvers that the sentence wants; None where it speaks of none."""
    if not _APPROVER.search(plain(change)):
        return None
    head = "".join(line for line in text.splitlines(keepends=True) if line.startswith("#"))
    plan: dict[str, Any] = yaml.safe_load(text)
    nodes: list[dict[str, Any]] = plan["graph"]
    asked = [node for node in nodes if _is_approval(node)]
    names = [one.who for one in people_in(change)] or role_names(change)
    known = {plain(str(node["in"].get("role", ""))) for node in asked}
    named = [name for name in names if plain(name) not in known]
    count = _count(change)
    if _INSTEAD.search(plain(change)) and named and asked:
        _rename(asked[-1], named[0], language)
        return head + written(plan)
    unknown = max(0, count - len(asked) - len(named)) if count else 0
    for number in range(unknown):
        variable = f"approver_{len(asked) + len(named) + number + 1}"
        plan.setdefault("vars", {})[variable] = tell("plan_design.approver", language)
        point = tell("plan_design.open.approver", language)
        head += f"# {tell('plan_design.open_point', language)}: {point}\n"
        named.append(f"${{vars.{variable}}}")
    if not named:
        return None
    for name in named:
        _add(plan, name, language)
    if not unknown and isinstance(plan.get("description"), str):
        plan["description"] += f"\n{change}"
    return head + written(plan)


def _is_approval(node: dict[str, Any]) -> bool:
    return (
        node.get("block") == "ui.interactive_input" and node.get("in", {}).get("mode") == "confirm"
    )


def _count(change: str) -> int:
    match = _COUNT.search(plain(change))
    said = next((part for part in match.groups() if part), "") if match else ""
    return _NUMERALS.get(said) or (int(said) if said else 0)


def _rename(node: dict[str, Any], who: str, language: Language) -> None:
    node["in"]["role"] = who
    node["in"]["message"] = tell("plan_design.approve_message", language, who=who)
    node["title"] = tell("plan_design.approve", language, who=who)


def _add(plan: dict[str, Any], who: str, language: Language) -> None:
    """After the last approval, on its yes; what is written waits for this one too."""
    nodes: list[dict[str, Any]] = plan["graph"]
    asked = [node for node in nodes if _is_approval(node)]
    taken = {node["id"] for node in nodes}
    number = 2
    while f"approve_{number}" in taken:
        number += 1
    name = f"approve_{number}" if "approve" in taken else "approve"
    shown = tell("plan_design.approver", language) if who.startswith("${") else who
    made: dict[str, Any] = {
        "id": name,
        "title": "",
        "block": "ui.interactive_input",
        "in": {"mode": "confirm"},
    }
    writing = [
        node
        for node in nodes
        if node.get("block") in _WRITES or (node.get("type") == "loop" and "fill" in str(node))
    ]
    if asked:
        made["when"] = {"expr": f"${{{asked[-1]['id']}.approved}} == true"}
        if context := asked[-1]["in"].get("context"):
            made["in"]["context"] = context
    _rename(made, shown, language)
    made["in"]["role"] = who
    at = nodes.index(writing[0]) if writing else len(nodes)
    nodes.insert(at, made)
    for node in writing:
        when: dict[str, str] = node.get("when") or {}
        before = when.get("expr", "")
        passed = f"${{{name}.approved}} == true"
        node["when"] = {"expr": f"({before}) && {passed}" if before else passed}
    plan.setdefault("exports", []).append({"from": f"{name}.approved", "as": f"approved_{name}"})


def whole_instruction(text: str, change: str) -> str:
    """What the plan was made of, and the change: both are composed anew."""
    said = yaml.safe_load(text).get("description") or ""
    if not isinstance(said, str) or not said.strip():
        raise InvalidInput("plan_change_unread", change=change)
    return f"{said.replace('$${', '${')}\n{change}"


def refuse_unread(change: str, open_points: list[str]) -> None:
    """A change that found no place is told, and the plan stays as it was."""
    if any(plain(change).strip("。. ")[:20] in plain(point) for point in open_points):
        raise InvalidInput("plan_change_unread", change=change)


def compose(
    instruction: str,
    material: Material,
    readers: Readers,
    datasets: Datasets,
    outline: Outline | None = None,
) -> Draft:
    """A draft of a plan; what found no place is among its open points. The words of an outline that
    a person has changed take the place of the instruction's."""
    language: Language = language_of(instruction)
    draft = Draft(language, instruction, Samples(readers, datasets, language))
    said = sentences(instruction)
    manual = [line for one in material.manuals for line in sentences(one.text)]
    if outline is not None:
        said = [line for step in outline.steps if step.says for line in sentences(step.says)]
        said, manual = list(dict.fromkeys(said)), []
    whole = plain("\n".join((*said, *manual)))
    work = Work(draft, material, [], whole)
    for file in material.files:
        work.sources += sources_of(file, draft)
    if any(one.kind == "template" for one in material.files):
        for source in work.sources:
            source.is_text = True
    if not material.files:
        work.sources = named_sources(instruction)
    prepare_documents(work)
    for line in (*manual, *said):
        columns_told(work, line)
        if has("acts.ask", f" {plain(line)} "):
            ask_named(work, plain(line))
    own = [line for line in said if not (manual and has("procedure", plain(line)))]
    for sentence in manual:
        draft.says = sentence
        if not _describes(work, sentence):
            work.is_manual = True
            _sentence(work, sentence)
    work.is_manual = False
    for sentence in own:
        draft.says = sentence
        _sentence(work, sentence)
    finish(work, said)
    return draft


def _sentence(work: Work, sentence: str) -> None:
    said = plain(sentence)
    acts = acts_in(f" {said} ")
    done = False
    if people := people_in(sentence):
        work.approvals += [Approval(one.who, one.condition, sentence) for one in people]
        done = True
    if told := columns_told(work, sentence):
        done = True
        if told == "source":
            return
    work.sentences.append(sentence)
    if (
        "sampling" in acts
        and (rows := work.rows_for(said)) is not None
        and take_sample(work, rows, said)
    ):
        return
    if "ask" in acts and ask_bound(work, said):
        done = True
    if not work.is_paired and put_together(work, said, acts):
        done = True
    if "check" in acts and work.draft.say("sheet.good") not in work.extras:
        found = checked(work.draft, work.rows_for(said), sentence, work.material.manuals)
        if found is not None:
            good, bad = found
            work.flow(bad)
            work.extras[good.title] = good
            return
    if not people and (made := _as_question(work, sentence, acts)) is not None:
        work.flow(made)
        return
    for clause in clauses(sentence):
        if people and any(plain(one.who) in plain(clause) for one in people):
            continue
        done |= take_clause(work, clause, sentence)
    if not done and not is_note(said):
        work.unplaced.append(sentence)


_NO_QUESTION = frozenset(("ask", "sampling", "check", "template", "lookup", "pair", "distinct"))


def _as_question(work: Work, sentence: str, acts: frozenset[str]) -> Rows | None:
    """All that one sentence asks of the only table."""
    if acts & _NO_QUESTION or len(work.tables) != 1 or work.is_paired or work.is_manual:
        return None
    rows = work.rows_for(plain(sentence))
    if rows is not None and picked(rows, plain(sentence)):
        return None  # columns are chosen, too
    made = None if rows is None else answered(work.draft, rows, without_sources(work, sentence))
    if made is not None:
        work.is_grouped |= set(made.columns) - set(work.first) != set()
    return made


def _describes(work: Work, sentence: str) -> bool:
    """A sentence of a manual that tells how a given file looks."""
    said = plain(sentence)
    for source in work.tables:
        if source.kind == "documents":
            continue
        known = {re.sub(r"\s", "", plain(name)) for name in source.rows(work.draft).columns}
        named = {
            name
            for names, _, _ in lists_in(sentence)
            for name in names
            if re.sub(r"\s", "", plain(name)) in known
        }
        if len(named) >= min(2, len(known)) and len(named) >= len(known) / 2 and formats_in(said):
            return (
                "excel" not in said
                or not has("acts.write", said)
                or (mention(source, said) >= 0 and "列は" not in said)
            )
    return False
