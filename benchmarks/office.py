"""How GRACE answers questions of office documents: regulations, FAQ, tables, mail, minutes.

    python benchmarks/office.py [--language ja|en] [--half development|held-out|fitting|unseen]
        [--verbose]

The documents and questions in `office/` were written by people who had not seen the system; a third
of the questions has no answer in the documents. Half of the documents' questions were looked at
while the system was made and fitted; figures that count are those of the other half, whose wrong
answers are not printed. Those of the four organisations of `office_fitting/` are all for fitting: a
model that was fitted on them is flattered there. An answer is right if it has every fact of the
question in one of its accepted spellings; a question without an answer is right if it is declined.
A follow-up is asked in the conversation of the questions before it. A run that waits for a person
is told to proceed.

Where it is lost, for questions with an answer: a passage that the answer stands in is among those
found; it is the most relevant; what is told or hinted at has the facts; it is told, not declined.
AUROC and ECE are of the score of all questions, right where the facts are told or hinted at. Beside
it stands the plain baseline: the first passage of a search for the question's words. Intervals are
of 95 % (Wilson's, and 1,000 draws with replacement for AUROC and ECE).
"""

import argparse
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

from grace_data import search
from office_data import (
    COLLECTION,
    LANGUAGES,
    ORGANISATIONS,
    OTHERS,
    OfficeQuestion,
    collection_of,
    has_all,
    language_of,
    questions,
)

from sanbo.agents.grace.confidence.model import Label
from sanbo.agents.grace.confidence.thresholds import auroc, coverage, expected_calibration_error
from sanbo.agents.grace.schemas import ExecutionResult
from sanbo.kernel.messages import set_language
from sanbo.retrieval.collection import Collection
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import OPERATOR
from sanbo.service.bootstrap import BlockingWorkbench, blocking_workbench
from sanbo.settings import load_settings

MOST_BACK = 5
HINTS = 6
"""So many are shown where nothing is told."""
DRAWS = 1_000


class Answered(NamedTuple):
    question: OfficeQuestion
    result: ExecutionResult
    asked_back: int
    seconds: float
    found: bool
    first: bool
    baseline: bool

    @property
    def text(self) -> str:
        """What a person reads: the answer with what contradicts it, or the hints."""
        told = (*self.result.sentences, *self.result.contradictions)
        return " ".join(each.text for each in told or self.result.nearest[:HINTS])

    @property
    def has_facts(self) -> bool:
        return bool(self.question.answers) and has_all(self.text, self.question.answers)

    @property
    def is_right(self) -> bool:
        return (
            self.has_facts and self.result.answered
            if self.question.answers
            else (not self.result.answered)
        )

    @property
    def is_silent(self) -> bool:
        """Nobody was asked about it."""
        return self.result.answered and not self.asked_back


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--language", choices=LANGUAGES)
    halves = ("development", "held-out", "fitting", "unseen")
    parser.add_argument("--half", choices=halves, default="held-out")
    parser.add_argument("--verbose", action="store_true", help="wrong answers (not held out)")
    arguments = parser.parse_args()
    half: str = arguments.half
    verbose = arguments.verbose and half not in ("held-out", "unseen")
    both: list[Answered] = []
    for name in {"fitting": ORGANISATIONS, "unseen": OTHERS}.get(half, LANGUAGES):
        if arguments.language in (None, language_of(name)):
            answered = _measure(name, half)
            _tell(f"{name}, {half}", answered, verbose=verbose)
            both += answered
    if arguments.language is None or half in ("fitting", "unseen"):
        _tell(f"all, {half}", both, verbose=False)


def _measure(name: str, half: str) -> list[Answered]:
    language = language_of(name)
    set_language(language)
    with collection_of(name) as (workspace, collection):
        settings = load_settings(workspace, {"SANBO_LLM__PROVIDER": "rules"})
        with blocking_workbench(settings) as bench:
            asking = _Asking(bench, collection, language)
            asked = questions(name, "held-out" if half == "held-out" else "development")
            return [asking.ask(each) for each in asked]


class _Asking:
    def __init__(self, bench: BlockingWorkbench, collection: Collection, language: str) -> None:
        self._bench, self._collection, self._language = bench, collection, language

    def ask(self, question: OfficeQuestion) -> Answered:
        conversation: str | None = None
        for before in question.before:
            conversation = self._run(before, conversation)[0].conversation_id
        began = time.perf_counter()
        run, back = self._run(question.question, conversation)
        seconds = time.perf_counter() - began
        result = ExecutionResult.model_validate(run.result)
        queries = dict.fromkeys(query.text for step in result.steps for query in step.searched)
        passages = search(self._collection, result.understood or result.question, tuple(queries))
        ranked = sorted(passages, key=lambda each: -each.relevance)
        golden = [question.stands_in(each.document, each.text) for each in ranked]
        plain = self._collection.search(question.question, limit=1)
        return Answered(
            question,
            result,
            back,
            seconds,
            found=any(golden),
            first=any(golden[:1]),
            baseline=bool(question.answers)
            and has_all(" ".join(hit.text for hit in plain), question.answers),
        )

    def _run(self, question: str, conversation: str | None) -> tuple[Run, int]:
        bench, workbench = self._bench, self._bench.workbench
        given: JsonObject = {"question": question, "collection": COLLECTION}
        run = bench.call(
            workbench.start(
                OPERATOR,
                "grace",
                given,
                # pyrefly: ignore[bad-argument-type]
                language=self._language,
                conversation_id=conversation,
            )
        )
        run = bench.call(workbench.wait(OPERATOR, run.run_id))
        back = 0
        while run.status is Status.WAITING and back < MOST_BACK:
            back += 1
            interaction = run.open_interactions[0].interaction_id
            said: JsonObject = {"action": "proceed"}
            bench.call(workbench.answer(OPERATOR, run.run_id, said, interaction_id=interaction))
            run = bench.call(workbench.wait(OPERATOR, run.run_id))
        if run.result is None:
            sys.exit(f"“{question}” ended {run.status.value}: {run.problem}")
        return run, back


# ---- telling ---------------------------------------------------------------------------------


def _tell(name: str, answered: Sequence[Answered], *, verbose: bool) -> None:
    known = [each for each in answered if each.question.answers]
    unknown = [each for each in answered if not each.question.answers]
    labels = [
        Label(features={}, score=each.result.confidence, good=each.has_facts) for each in answered
    ]
    silent = [each for each in answered if each.is_silent]
    print(f"\n{name}: {len(answered)} questions, {len(unknown)} without an answer")
    print(f"  found                            {_share([each.found for each in known])}")
    print(f"  most relevant                    {_share([each.first for each in known])}")
    print(f"  told or hinted at                {_share([each.has_facts for each in known])}")
    print(f"  right where there is an answer   {_share([each.is_right for each in known])}")
    print(f"  baseline: first passage has it   {_share([each.baseline for each in known])}")
    print(f"  declined where there is none     {_share([each.is_right for each in unknown])}")
    print(f"  right or rightly declined        {_share([each.is_right for each in answered])}")
    print(f"  AUROC {_drawn(labels, auroc)}, ECE {_drawn(labels, expected_calibration_error)}")
    print(f"  silent {_share([each.is_silent for each in answered])},")
    print(f"    right of them                  {_share([each.is_right for each in silent])}")
    for least in (0.95, 0.9, 0.85, 0.8):
        reached = [each for each in coverage(labels) if each.precision >= least]
        most = max((each.coverage for each in reached), default=0.0)
        print(f"    {least:.0%} right is kept for {most:.0%} of all questions")
    lengths = [len(each.text) for each in answered if each.result.answered]
    seconds = median(each.seconds for each in answered)
    print(f"  letters of an answer {median(lengths or [0]):.0f}, seconds {seconds:.2f} (medians)")
    right, total = Counter[str](), Counter[str]()
    for each in answered:
        total[each.question.kind] += 1
        right[each.question.kind] += each.is_right
    print("  " + ", ".join(f"{kind} {right[kind]}/{many}" for kind, many in total.most_common()))
    for each in answered if verbose else ():
        if not each.is_right:
            _tell_wrong(each)


def _tell_wrong(each: Answered) -> None:
    asked = each.question
    print(f"  {asked.id} {asked.kind}: {asked.question}")
    if each.result.understood:
        print(f"     read as {each.result.understood}")
    lost = "told" if each.has_facts else "first" if each.first else "found" if each.found else "-"
    print(f"     wanted {asked.answers or '(none)'}; reached: {lost}")
    declined = "" if each.result.answered else "(declined) "
    print(f"     {each.result.confidence:.2f} {declined}{each.text[:300]}")


def _share(flags: Sequence[bool]) -> str:
    """With Wilson's interval."""
    many, right, z = len(flags), sum(flags), 1.96
    if not many:
        return "-"
    share = right / many
    middle = (share + z * z / (2 * many)) / (1 + z * z / many)
    wide = z * math.sqrt(share * (1 - share) / many + z * z / (4 * many**2)) / (1 + z * z / many)
    return f"{share:6.1%} [{middle - wide:.1%} – {middle + wide:.1%}] ({right} of {many})"


def _drawn(labels: Sequence[Label], figure: Callable[[Sequence[Label]], float | None]) -> str:
    draw = random.Random(5)
    drawn = sorted(figure(draw.choices(labels, k=len(labels))) or 0.0 for _ in range(DRAWS))
    low, high = drawn[DRAWS // 40], drawn[-DRAWS // 40]
    return f"{figure(labels) or 0:.3f} [{low:.3f} – {high:.3f}]"


if __name__ == "__main__":
    main()
