"""How often research finds, cites truly, and says that it found nothing.

    python benchmarks/research.py --data ../shared/data/qa [--questions 300] [--removed 200]

Every paragraph of a question set is a document of one collection; questions go through the real
workflow, without a model (`rules`), on the product's own settings. Part of the questions are asked
again of a collection from which their paragraphs (all of them at once) were removed. They are
drawn from paragraphs that the relevance model was not fitted on. Beside it, in the same run:
single-shot search, which cites the first five hits and never says no.

A report that finds no answer surely enough still cites what comes nearest, as hints. They are told
beside, and don't count for the target: such a report would be a citation here and a "no" there.

A removed paragraph does not always take the answer with it: another paragraph may give it, too.
So what was answered all the same is told apart by whether an accepted answer stands in a quoted
sentence. The target counts all.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from qa_data import COLLECTION, Asked, QuestionSet, SetName, build, document_id, load

from sanbo.agents.research.model import ResearchResult
from sanbo.evidence.model import Citation
from sanbo.kernel.messages import set_language
from sanbo.llm.settings import LlmSettings
from sanbo.retrieval.library import Library
from sanbo.runs.model import JsonObject, Status
from sanbo.service.access import OPERATOR
from sanbo.service.bootstrap import BlockingWorkbench, blocking_workbench
from sanbo.settings import Settings, load_settings
from sanbo.storage.database import Database

SINGLE_SHOT = 5
GOLD_TARGET = 0.95
HONEST_TARGET = 0.80
AT_ONCE = 4


class Researched(NamedTuple):
    asked: Asked
    result: ResearchResult
    seconds: float


class Searched(NamedTuple):
    asked: Asked
    documents: tuple[str, ...]
    seconds: float


class CitationCheck(NamedTuple):
    verified: int
    """Stand in the source where they say."""
    claimed: int
    """Said to be verified."""
    fabricated: int
    """Of a document that is not there, or claimed though the source does not say so."""
    total: int


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", choices=("jsquad", "jaquad-dev"), default="jsquad")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--removed", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="which questions went wrong")
    arguments = parser.parse_args()
    set_language("ja")
    name: SetName = arguments.set
    questions = load(arguments.data, name)
    drawn, removed = _draw(questions, arguments.questions, arguments.removed, arguments.seed)
    print(
        f"{name}: {len(questions.paragraphs):,} paragraphs;"
        f" {len(drawn)} questions, {len(removed)} with their paragraphs removed"
    )
    held = [
        _answerable(questions, drawn, verbose=arguments.verbose),
        _unanswerable(questions, removed, verbose=arguments.verbose),
    ]
    sys.exit(0 if all(held) else 1)


def _draw(
    questions: QuestionSet, many: int, removed: int, seed: int
) -> tuple[list[Asked], list[Asked]]:
    """Different questions for both."""
    unseen = questions.of_half(for_fitting=False) if questions.name == "jsquad" else questions.asked
    shuffled = random.Random(seed).sample(unseen, min(many + removed, len(unseen)))
    return shuffled[:many], shuffled[many:]


def _answerable(questions: QuestionSet, drawn: Sequence[Asked], *, verbose: bool) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        library, _ = build(workspace, questions.paragraphs)
        baseline = _single_shots(library, drawn)
        library.close()
        researched = _research(workspace, drawn)
        check = _check_citations(workspace, [each.result for each in researched])
    cited = [_cites_gold(each) for each in researched]
    hinted = [_cites_gold(each, with_hints=True) for each in researched]
    shots = [document_id(each.asked.number) in each.documents for each in baseline]
    print("\nThe collection has the paragraph")
    _print_line("research", sum(cited) / len(cited), researched)
    print(f"               with hints beside a “not found” {sum(hinted) / len(hinted):.1%}")
    print(f"  single shot  gold cited {sum(shots) / len(shots):.1%}  {_pace(baseline)}")
    print(
        f"  citations {check.total}: in the source {check.verified}, fabricated {check.fabricated};"
        f" a report cites {check.total / len(researched):.1f} places,"
        f" the single shot {SINGLE_SHOT} passages"
    )
    said_no = sum(not each.result.answered for each in researched)
    others = len(cited) - sum(cited) - said_no
    print(f"  not cited: says that nothing answers {said_no}, cites other paragraphs {others}")
    if verbose:
        for each, is_cited in zip(researched, cited, strict=True):
            if not is_cited:
                print(f"    {'no' if not each.result.answered else 'other'}: {each.asked.question}")
    share = sum(cited) / len(cited)
    held = share >= GOLD_TARGET and check.verified == check.total and not check.fabricated
    print(
        f"  target gold cited ≥ {GOLD_TARGET:.0%}, citations 100%: {'held' if held else 'MISSED'}"
    )
    return held


def _unanswerable(questions: QuestionSet, removed: Sequence[Asked], *, verbose: bool) -> bool:
    without = {each.number for each in removed}
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        library, _ = build(workspace, questions.paragraphs, without=without)
        library.close()
        researched = _research(workspace, removed)
        check = _check_citations(workspace, [each.result for each in researched])
    honest = [not each.result.answered for each in researched]
    elsewhere = [
        each.result.answered and each.asked.is_answered_in(_quoted(each.result))
        for each in researched
    ]
    share = sum(honest) / len(honest)
    print(f"\nThe paragraphs ({len(without)}) were removed")
    print(
        f"  research     says that the collection does not answer {share:.1%}  {_pace(researched)}"
    )
    print(
        f"               answered all the same: the quotes hold an accepted answer"
        f" {sum(elsewhere)}, do not {len(honest) - sum(honest) - sum(elsewhere)}"
        f" (wrong {1 - share - sum(elsewhere) / len(honest):.1%})"
    )
    print("  single shot  says so 0.0%")
    print(
        f"  citations {check.total}: in the source {check.verified}, fabricated {check.fabricated}"
    )
    if verbose:
        for each, is_honest, is_elsewhere in zip(researched, honest, elsewhere, strict=True):
            if not is_honest:
                mark = "elsewhere" if is_elsewhere else "wrong"
                print(f"    {mark}: {each.asked.question} | {_quoted(each.result)[:120]}")
    held = share >= HONEST_TARGET and check.verified == check.total and not check.fabricated
    print(f"  target says so ≥ {HONEST_TARGET:.0%}: {'held' if held else 'MISSED'}")
    return held


# ---- asking ----------------------------------------------------------------------------------


def _research(workspace: Path, asked: Sequence[Asked]) -> list[Researched]:
    with blocking_workbench(_settings(workspace)) as bench, ThreadPoolExecutor(AT_ONCE) as threads:
        _ask(bench, Asked("準備はできていますか", 0, ()))  # warm
        return list(threads.map(partial(_ask, bench), asked))


def _settings(workspace: Path) -> Settings:
    own: dict[str, object] = {"workspace": workspace, "llm": LlmSettings(provider="rules")}
    return load_settings(workspace, {}).model_copy(update=own)


def _ask(bench: BlockingWorkbench, asked: Asked) -> Researched:
    began = time.perf_counter()
    given: JsonObject = {"question": asked.question, "collection": COLLECTION}
    run = bench.call(bench.workbench.start(OPERATOR, "research", given, language="ja"))
    run = bench.call(bench.workbench.wait(OPERATOR, run.run_id))
    if run.status is not Status.SUCCEEDED or run.result is None:
        sys.exit(f"a research ended {run.status.value}: {run.problem}")
    result = ResearchResult.model_validate(run.result)
    return Researched(asked, result, time.perf_counter() - began)


def _single_shots(library: Library, asked: Sequence[Asked]) -> list[Searched]:
    collection = library.open(COLLECTION)
    found: list[Searched] = []
    for each in asked:
        began = time.perf_counter()
        hits = collection.search(each.question, limit=SINGLE_SHOT)
        documents = tuple(hit.document_id for hit in hits)
        found.append(Searched(each, documents, time.perf_counter() - began))
    return found


# ---- judging ---------------------------------------------------------------------------------


def _cites_gold(researched: Researched, *, with_hints: bool = False) -> bool:
    """By its findings; hints stand in reports that say that nothing surely answers."""
    gold = document_id(researched.asked.number)
    result = researched.result
    citations = result.citations if with_hints else _cited(result)
    return any(citation.document_id == gold for citation in citations)


def _cited(result: ResearchResult) -> list[Citation]:
    """By the findings."""
    numbers = {
        number
        for finding in result.findings
        for sentence in finding.sentences
        for number in sentence.citations
    }
    return [citation for citation in result.citations if citation.id in numbers]


def _quoted(result: ResearchResult) -> str:
    return "\n".join(citation.quote for citation in _cited(result))


def _check_citations(workspace: Path, results: Sequence[ResearchResult]) -> CitationCheck:
    """Against the documents as the collection keeps them, without the workflow's own code."""
    database = Database.in_workspace(workspace, None)
    library = Library(database, _settings(workspace))
    collection = library.open(COLLECTION)
    texts: dict[str, str] = {}
    for info in collection.all_documents():
        texts[info.document_id] = collection.read(info.document_id).document.text
    library.close()
    citations = [citation for result in results for citation in result.citations]
    true = [
        bool(each.quote) and texts.get(each.document_id, "")[each.start : each.end] == each.quote
        for each in citations
    ]
    return CitationCheck(
        verified=sum(true),
        claimed=sum(each.verified for each in citations),
        fabricated=sum(
            not holds and (each.verified or each.document_id not in texts)
            for each, holds in zip(citations, true, strict=True)
        ),
        total=len(citations),
    )


# ---- printing --------------------------------------------------------------------------------


def _print_line(name: str, share: float, researched: Sequence[Researched]) -> None:
    cycles = statistics.mean(each.result.cycles for each in researched)
    print(f"  {name:12} gold cited {share:.1%}  cycles {cycles:.2f}  {_pace(researched)}")


def _pace(done: Sequence[Researched] | Sequence[Searched]) -> str:
    seconds = sorted(each.seconds for each in done)
    return f"median {statistics.median(seconds):.3f} s, slowest {seconds[-1]:.2f} s"


if __name__ == "__main__":
    main()
