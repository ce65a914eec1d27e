"""Clauses become a draft: each adds steps to what flows already, tried on the samples at once."""

import re

from sanbo.agents.analysis.datasets import Datasets
from sanbo.documents.reading import Readers
from sanbo.kernel.messages import Language
from sanbo.plans.designing.approvals import Approval
from sanbo.plans.designing.asked_values import ask_bound, ask_named
from sanbo.plans.designing.clauses import clauses, is_note, lists_in, sentences
from sanbo.plans.designing.draft import Draft
from sanbo.plans.designing.judgements import checked
from sanbo.plans.designing.material import Material
from sanbo.plans.designing.named_sources import named_sources, prepare_documents
from sanbo.plans.designing.outline import Outline
from sanbo.plans.designing.people import people_in
from sanbo.plans.designing.result import columns_told, finish
from sanbo.plans.designing.row_clauses import take_clause, take_sample
from sanbo.plans.designing.samples import Samples
from sanbo.plans.designing.sources import (
    mention,
    sources_of,
)
from sanbo.plans.designing.table_links import put_together
from sanbo.plans.designing.vocabulary import (
    acts_in,
    formats_in,
    has,
    language_of,
    plain,
)
from sanbo.plans.designing.work import Work


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
    for clause in clauses(sentence):
        if people and any(plain(one.who) in plain(clause) for one in people):
            continue
        done |= take_clause(work, clause, sentence)
    if not done and not is_note(said):
        work.unplaced.append(sentence)


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
