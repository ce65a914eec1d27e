"""Clauses become a draft: each adds steps to what flows already, by rules alone."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.kernel.messages import Language
from sanbo.plans.designing import pair_steps, table_steps
from sanbo.plans.designing.clauses import clauses
from sanbo.plans.designing.documents_read import read_documents, read_mail
from sanbo.plans.designing.draft import Draft, Stream
from sanbo.plans.designing.material import Material, steps_of
from sanbo.plans.designing.outline import Outline
from sanbo.plans.designing.output_files import fill, names_written, write
from sanbo.plans.designing.people import Gate, approve
from sanbo.plans.designing.row_phrases import columns_listed, columns_named, conditions_in
from sanbo.plans.designing.tables import Table, meant, mention, tables_of
from sanbo.plans.designing.values_asked import AskedValues
from sanbo.plans.designing.vocabulary import (
    Found,
    ending_of,
    find,
    formats_in,
    has,
    language_of,
    plain,
    roles_in,
    steps_in,
)

_OUT = re.compile(
    r"\s?(?:ファイル|ブック|形式|表)?(?:に|へ|で(?:出|書|保存|作)|として(?:出|保存)|を(?:作|出力|書き出))"
)


@dataclass
class Composition:
    draft: Draft
    material: Material
    tables: list[Table] = field(default_factory=list[Table])
    current: Stream | None = None
    results: dict[str, str] = field(default_factory=dict[str, str])
    """What a file of it would show, by the names of sheets."""
    gates: list[Gate] = field(default_factory=list[Gate])
    written: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Nodes that make files."""
    rules: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    asked: AskedValues = field(default_factory=AskedValues)
    unplaced: list[str] = field(default_factory=list[str])
    computed: str = ""
    """The column that was computed last."""
    is_grouped: bool = False
    is_late: bool = False
    """Rows were changed after they were said to be written."""
    looked_up: list[str] = field(default_factory=list[str])
    is_compared: bool = False
    """What flows are differences between two tables."""

    # ---- what flows ----

    def flow(self, rows: Stream | None, results: dict[str, str] | None = None) -> bool:
        if rows is None:
            return False
        self.is_late = bool(self.written)
        self.current = rows
        self.results = results or {rows.title: rows.ref}
        return True

    def profile_for(self, text: str) -> DatasetProfile | None:
        """Of the rows that a clause would work on; nothing is read for it yet."""
        if self.current is not None:
            return self.current.profile
        named = meant(self.tables, text) or self.tables[:1]
        return named[0].profile if named else None

    def rows_for(self, text: str) -> Stream | None:
        if self.current is not None:
            return self.current
        named = meant(self.tables, text) or self.tables[:1]
        return named[0].read(self.draft) if named else None

    def streams_for(self, text: str, whole: str) -> list[Table]:
        """Two or more tables that a step puts together."""
        named = [one for one in self.tables if mention(one, text) >= 0]
        if len(named) < 2:
            named = sorted(self.tables, key=lambda one: (at := mention(one, whole)) < 0 or at)
        else:
            named.sort(key=lambda one: mention(one, text))
        return named


def compose(
    instruction: str,
    material: Material,
    language: Language | None = None,
    outline: Outline | None = None,
) -> Draft:
    """A draft of a plan; what found no place is among its open points. The words of an outline that
    a person has changed take the place of the instruction's."""
    draft = Draft(language or language_of(instruction), instruction)
    work = Composition(draft, material)
    for file in material.files:
        work.tables += tables_of(file)
    said = clauses(instruction)
    manual = clauses(steps_of(material.manuals)) if material.manuals else []
    whole = plain(" ".join((instruction, *(one.text for one in material.manuals))))
    if manual:
        known = {kind for clause in manual for kind in steps_in(clause)}
        said = [*manual, *(one for one in said if _adds(one, known))]
    if outline is not None:
        said = clauses("\n".join(dict.fromkeys(step.says for step in outline.steps if step.says)))
    said = _joined_groups(_joined_checks(said))
    _find_inputs(work, instruction)
    for clause in said:
        draft.says = clause
        if not _take(work, clause, whole):
            work.unplaced.append(clause)
    _end(work)
    return draft


def _joined_checks(said: Sequence[str]) -> list[str]:
    """Checks of the same rows beside each other are one step."""
    made: list[str] = []
    for clause in said:
        is_check = "validate" in steps_in(clause) and not formats_in(clause)
        if is_check and made and "validate" in steps_in(made[-1]) and not formats_in(made[-1]):
            made[-1] = f"{made[-1]}、{clause}"
        else:
            made.append(clause)
    return made


def _joined_groups(said: Sequence[str]) -> list[str]:
    """部署ごとに集計して、件数と合計を出し: what is measured of groups that were just made."""
    made: list[str] = []
    for clause in said:
        acts = steps_in(clause).keys()
        goes_on = "group" in acts and not acts & {"sort", "filter", "approve", "compute"}
        last = steps_in(made[-1]).keys() if made else set[str]()
        is_open = "group" in last and not last & {"lookup", "union", "compare", "reconcile"}
        is_open = is_open and _GROUPS.search(made[-1]) and not formats_in(made[-1])
        if goes_on and is_open and not _GROUPS.search(clause) and not formats_in(clause):
            made[-1] = f"{made[-1]}、{clause}"
        else:
            made.append(clause)
    return made


def _adds(clause: str, known: set[str]) -> bool:
    """Whether the instruction asks for something that its manual does not say."""
    if has("procedure", clause):
        return False
    return any(kind in ("write", "approve") and kind not in known for kind in steps_in(clause))


def _find_inputs(work: Composition, instruction: str) -> None:
    """Files that are named and not given: 請求書のZIPと入金明細CSVを."""
    if work.material.files:
        return
    text = plain(instruction)
    for at, kind, word in formats_in(text):
        behind = text[at + len(word) :]
        if _OUT.match(behind) or _is_target(text[:at]) or kind in ("word", "mail"):
            continue
        noun = _noun_before(text[:at]) or _noun_behind(behind)
        label = (
            f"{noun}（{word.upper()}）"
            if noun and language_of(text) == "ja"
            else f"{noun or word} ({word})"
        )
        work.tables.append(Table(label=label.strip(), accept=ending_of(kind)))


_INTO = re.compile(r"(?:\bto|\binto|\bas|\bin|\ban?) (?:an? |the |new ){0,3}$")
_FROM = re.compile(r"(?:match|reconcile|compare|read|with|from|of) (?:an? |the ){0,3}$")


def _is_target(before: str) -> bool:
    return bool(_INTO.search(before)) and not _FROM.search(before)


def _noun_before(text: str) -> str:
    match = re.search(r"([^\s、。をとにがは(（]{1,20}?)の?\s?$", text)
    if match and language_of(match[1]) == "ja":
        return match[1]
    match = re.search(r"([a-z]{1,30}(?: [a-z]{1,30})?) $", text)
    words = [
        w
        for w in (match[1].split() if match else [])
        if w not in ("the", "a", "an", "with", "and", "of")
    ]
    return " ".join(words)


def _noun_behind(text: str) -> str:
    match = re.match(r" (?:file |archive )?(?:of|with) (?:the )?([a-z]+)", text)
    return match[1] if match else ""


# ---- one clause ----

_GROUPS = re.compile("別|ごと|毎|集計|per |each|aggregat|group")
"""What groups beside an order: to sort by a column groups nothing."""
_ONLY = re.compile("(.{1,100}?)(?:だけ|のみ)(?:を|に|で|について)?、?(.*)")
_KINDS = re.compile("追加|削除|変更|増え|減っ|なくな|added|removed|changed|new |deleted")
_ORDERED = re.compile(
    "を、?[^を]{1,40}順.{0,40}$|(?:sort|order)(?:ed)? .{0,80}$|[a-z]{1,20} first.{0,80}$"
)
"""The part of a clause that says the order."""
_LOOKS = re.compile("確認|目を通|見てもら|review|look (?:at|over|through)|go over")
"""With somebody's role, a person is asked."""
_SIGNS = re.compile(r"[=×÷*+−-]| x ")
_FILE = re.compile(r"「[^「」]{1,60}」?\.?(?:xlsx|csv|docx)」?|[^\s「」]{1,60}\.(?:xlsx|csv|docx)")
_ROWS = re.compile(
    "(?:もの|行|分|データ|レコード|明細)(?:を|だけ|について|から)|rows|where|with | that | whose "
)
_ON_ROWS = (
    "validate",
    "sampling",
    "distinct",
    "pick",
    "filter",
    "compute",
    "group",
    "sort",
    "limit",
)


def _take(work: Composition, clause: str, whole: str) -> bool:
    """Whether something of it found a place."""
    acts = steps_in(clause)
    if (looked := _LOOKS.search(clause)) and roles_in(clause) and "validate" not in acts:
        acts.setdefault("approve", Found(looked.start(), looked[0]))
    text = work.asked.with_places(work.draft, clause, work.profile_for(clause))
    done = text != clause
    is_put_together = _sources(work, text, acts.keys(), whole)
    done |= is_put_together
    own = acts.keys() - ({"group", "filter", "distinct"} if is_put_together else set())
    if is_put_together and not acts.keys() & {"lookup", "read"} and _GROUPS.search(text):
        own |= acts.keys() & {"group"}
    is_on_rows = "approve" not in acts and not _is_filling(work, acts)
    if is_on_rows and (not is_put_together or own & {*_ON_ROWS, "ask"}):
        done |= _on_rows(work, _FILE.sub("", text), own)
    approve_at, write_at = acts.get("approve"), acts.get("write")
    is_first = approve_at is not None and (
        write_at is None or approve_at.start < write_at.start or has("before", text)
    )
    if approve_at is not None and is_first:
        done |= _ask(work, text)
    if "template" in acts or "write" in acts or _is_written(text):
        done |= _write(work, text, "template" in acts)
    if approve_at is not None and not is_first:
        done |= _ask(work, text)
    return done


def _is_written(text: str) -> bool:
    """What was added in Excel: a format behind a word that says where to."""
    return any(
        _OUT.match(text[at + len(word) :]) or _INTO.search(text[:at])
        for at, _, word in formats_in(text)
    )


def _is_filling(work: Composition, acts: Any) -> bool:
    return "template" in acts and any(one.kind == "template" for one in work.material.files)


def _sources(work: Composition, text: str, acts: Sequence[str] | Any, whole: str) -> bool:
    draft = work.draft
    if "mail" in acts and (mails := [one for one in work.material.files if one.kind == "mail"]):
        work.tables += read_mail(draft, mails[0])
    named = [one for one in work.tables if mention(one, text) >= 0]
    is_pair = "compare" in acts and len(work.tables) > 1
    if "reconcile" in acts or is_pair or (len(named) > 1 and _LACKING.search(text)):
        return _pair(work, text, whole, is_reconciling="reconcile" in acts)
    if "read" in acts and (rows := read_documents(draft, work.material, text)) is not None:
        return work.flow(rows)
    if "union" in acts and len(work.tables) > 1 and work.current is None:
        streams = [one.read(draft) for one in work.streams_for(text, whole)]
        return work.flow(pair_steps.union(draft, streams))
    if "lookup" in acts and len(work.tables) > 1 and not work.is_compared:
        return _look_up(work, text, whole)
    return False


def _pair(work: Composition, text: str, whole: str, *, is_reconciling: bool) -> bool:
    draft = work.draft
    documents = read_documents(draft, work.material, text, is_invoices=True, tables=work.tables)
    tables = [one for one in work.streams_for(text, whole) if one.accept in (".csv", ".xlsx")]
    streams: list[Stream] = [documents] if documents is not None else []
    if work.current is not None and len(tables) == 1:
        streams.append(work.current)
    streams += [one.read(draft) for one in tables[: 2 - len(streams)]]
    if len(streams) < 2:
        return False
    left, right = streams
    is_money, is_turned = pair_steps.is_of_payments(left.title, right.title, text)
    if is_reconciling and is_money:
        pair = (right, left) if is_turned else (left, right)
        work.is_compared = True
        return work.flow(*pair_steps.reconcile(draft, *pair))
    turned = bool(find("new", plain(left.title)) and not find("old", plain(left.title)))
    turned = turned or bool(find("old", plain(right.title)) and not find("old", plain(left.title)))
    old, new = (right, left) if turned else (left, right)
    is_versions = has("old", whole) and has("new", whole)
    found = pair_steps.compare(draft, old, new, text, is_versions=is_versions)
    if found is None:
        return False
    work.is_compared = True
    rows, results = found
    if _LACKING.search(whole) and not is_versions and not has("differences", whole):
        name = draft.say("kind.only_left", left=left.title, right=right.title)
        if name in results:
            return work.flow(Stream(results[name], left.profile, name))
    return work.flow(rows, results)


def _look_up(work: Composition, text: str, whole: str) -> bool:
    tables = work.streams_for(text, whole)
    masters = [
        one
        for one in tables
        if re.search("マスタ|master|単価表|price|対応表|一覧表|list", plain(one.title))
    ]
    unique = [one for one in tables if one.profile and one.stream is None]
    master = (masters or unique or tables)[-1]
    others = [one for one in tables if one is not master]
    if master.title in work.looked_up:
        return True
    work.looked_up.append(master.title)
    rows = work.current or others[0].read(work.draft)
    if rows.node == (master.stream.node if master.stream else ""):
        return False
    return work.flow(pair_steps.lookup(work.draft, rows, master.read(work.draft), text))


def _on_rows(work: Composition, text: str, given: Iterable[str]) -> bool:
    acts = set(given)
    is_told = has("differences", text) or len(_KINDS.findall(text)) > 1
    if work.is_compared and is_told:
        acts -= {"filter", "group"}  # what differs is what flows already
        if not acts & {"sort", "limit", "pick"}:
            return False
    acts -= _not_meant(work, text, acts)
    if work.is_grouped and (total := find("totals", text)) and work.profile_for(text):
        text = text.replace(total.word, _last_column(work), 1)
    is_plain = not acts & {*_ON_ROWS, "ask"}
    if is_plain and not _SIGNS.search(text):
        known = work.profile_for(text)
        if known is None or not conditions_in(text, known).all:
            return False
    rows = work.rows_for(text)
    if rows is None:
        return False
    done = False
    if acts >= {"filter", "group"} and (cut := _ONLY.match(text)):
        done = work.flow(_kept(work, rows, cut[1]))
        text, acts = (cut[2], acts - {"filter"}) if done else (text, acts)
    is_computed = _compute(work, work.current or rows, text, acts)
    done |= is_computed
    has_rows = not is_computed and (is_plain or _ROWS.search(text) or "sort" in acts)
    if has_rows and not acts & {"group", "validate"} and ("filter" not in acts or "pick" in acts):
        phrase = _ORDERED.sub("", text) if "sort" in acts else text
        done |= work.flow(table_steps.keep_rows(work.draft, work.current or rows, phrase))
    for act in _ON_ROWS:
        rows = work.current or rows
        if act in acts or (act == "filter" and "ask" in acts):
            done |= _one_step(work, rows, text, act, acts, done=done)
    return done


def _compute(work: Composition, rows: Stream, text: str, acts: set[str]) -> bool:
    if "compute" not in acts and not _SIGNS.search(text):
        return False
    if not work.flow(table_steps.compute(work.draft, rows, text)):
        return False
    work.computed = _last_column(work)
    acts -= {"compute", "pick"} | (set() if _GROUPS.search(text) else {"group"})
    return True


def _not_meant(work: Composition, text: str, acts: set[str]) -> set[str]:
    """Words that speak of groups which are there already, or of rows that are the same."""
    is_same = "distinct" in acts and not _GROUPS.search(text.replace("each", ""))
    is_known = work.is_grouped and not _GROUPS.search(text)
    return {"group"} if is_same or is_known else set()


def _one_step(
    work: Composition, rows: Stream, text: str, act: str, acts: Any, *, done: bool
) -> bool:
    draft = work.draft
    made: Stream | None = None
    match act:
        case "validate":
            return _check(work, rows, text)
        case "sort" | "limit":
            return _order(work, rows, text, act, acts)
        case "sampling":
            made = table_steps.sample(draft, rows, text)
        case "distinct" if "validate" not in acts:
            made = table_steps.distinct(draft, rows, text)
        case "pick" if rows.profile is not None and (names := columns_named(text, rows.profile)):
            made = table_steps.pick(draft, rows, names)
        case "filter" if not acts & {"validate", "sampling", "distinct", "pick"}:
            made = _kept(work, rows, text)
        case "group" if not acts & {"validate", "pick"} and (
            "sort" not in acts or _GROUPS.search(text)
        ):
            if not done and rows.profile is not None and conditions_in(text, rows.profile).all:
                work.flow(_kept(work, rows, text))
            made = table_steps.group(draft, work.current or rows, text, work.computed)
            work.is_grouped = made is not None
        case _:
            pass
    return work.flow(made)


def _last_column(work: Composition) -> str:
    known = work.current.profile if work.current else None
    return known.columns[-1].name if known and known.columns else ""


def _kept(work: Composition, rows: Stream, text: str) -> Stream | None:
    if rows.profile is None:
        return None
    found = work.asked.conditions(text, rows.profile) or conditions_in(text, rows.profile).all
    return table_steps.filtered(work.draft, rows, text, found) if found else None


def _order(work: Composition, rows: Stream, text: str, act: str, acts: Any) -> bool:
    draft = work.draft
    count = table_steps.count_in(text)
    if act == "sort" or "sort" not in acts:
        done = work.flow(table_steps.sort(draft, rows, text, is_grouped=work.is_grouped))
        if count is not None:
            done |= work.flow(table_steps.limit(draft, work.current or rows, count))
        return done
    return False


def _check(work: Composition, rows: Stream, text: str) -> bool:
    if rows.profile is None:
        return False
    rules: list[dict[str, Any]] = []
    wrong: list[dict[str, Any]] = []
    for part in re.split("[、,・]|または|もしくは|や(?=[一-龠])| or | and ", text):
        found = table_steps.checks_in(part, rows.profile)
        rules += found
        if not found:
            broken = conditions_in(part, rows.profile).all
            must_hold = broken and _MUST.search(part)
            wrong += [{"not": {"all": broken}}] if must_hold else broken
    if not rules and not wrong:
        return False
    return work.flow(table_steps.checked(work.draft, rows, rules, wrong))


_LACKING = re.compile(
    "ていない|にない|にはない|いない|載っていな|not in |missing from|not appear|does not have"
    "|do not have|have not|has not"
)
_MUST = re.compile("であること|いること|ること$|must be|should be|has to be|needs to be|ではな")


# ---- people and files ----


def _ask(work: Composition, text: str) -> bool:
    rows = work.current or (work.rows_for(text) if work.tables else None)
    is_before = has("before", text)
    made = [] if is_before else [node["id"] for node in work.written]
    if is_before and work.gates and not roles_in(text):
        return True  # the approval that was asked for already
    gates = approve(work.draft, text, rows, work.results, after=made)
    if work.written and is_before:
        for node in work.written:
            _wait(node, gates)
    work.gates += gates
    return True


def _wait(node: dict[str, Any], gates: list[Gate]) -> None:
    expression = " && ".join(gate.expression for gate in gates)
    if expression:
        given = node.pop("in")
        node["when"] = {"expr": expression}
        node["in"] = given


def _write(work: Composition, text: str, is_template: bool) -> bool:
    draft = work.draft
    templates = [one for one in work.material.files if one.kind == "template"]
    before = len(draft.nodes)
    if is_template and templates:
        done = fill(draft, templates[0], work.current or work.rows_for(text), work.asked)
    else:
        formats = [one for one in names_written(text) if not _is_filled(work, one)]
        if not formats:
            return bool(work.written or work.gates) and "write" in steps_in(text)
        rows = work.current or work.rows_for(text)
        if rows is not None and (names := columns_listed(text, rows.profile)):
            work.flow(table_steps.pick(draft, rows, names))
            rows = work.current
        done = rows is not None and write(
            draft, text, formats, work.results or {rows.title: rows.ref}
        )
    for node in draft.nodes[before:]:
        if node["block"] in ("excel.write", "file.write_csv", "file.fill_template"):
            _wait(node, work.gates)
            work.written.append(node)
    return done


def _is_filled(work: Composition, form: str) -> bool:
    """Whether the document that is spoken of is the template's."""
    return form == "word" and any(one["block"] == "file.fill_template" for one in work.written)


def _write_latest(work: Composition) -> None:
    """売上をExcelに書き出す。金額の大きい順とする: the file gets what the rows became."""
    data = dict(work.results)
    for node in work.written:
        if node["block"] == "excel.write":
            node["in"]["data"] = data
        elif node["block"] == "file.write_csv":
            node["in"]["rows"] = next(iter(data.values()))


def _end(work: Composition) -> None:
    draft = work.draft
    if work.is_late and len(work.written) == 1:
        _write_latest(work)
    if not work.written and work.current is not None:
        for name, ref in work.results.items():
            draft.export(ref[2:-1], name)
        draft.leave_open(draft.say("open.output"))
    for clause in work.unplaced:
        if steps_in(clause).keys() - {"write"}:
            draft.leave_open(draft.say("open.unplaced", text=clause))
    for table in work.tables:
        if table.stream is None and not table.source and table.accept in (".csv", ".xlsx"):
            draft.leave_open(draft.say("open.unused", name=table.title))
    for problem in work.material.unread:
        draft.leave_open(draft.say("open.unread", text=problem))
