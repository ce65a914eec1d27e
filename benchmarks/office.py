"""How GRACE answers questions of office documents: regulations, FAQ, tables, mail, minutes.

    python benchmarks/office.py [--language ja|en] [--verbose]

The documents and questions in `office/` were written by people who had not seen the system; a third
of the questions has no answer in the documents. An answer is right if it has every fact of the
question in one of its accepted spellings; a question
without an answer is right if it is declined. A follow-up is asked in the conversation of the
question before it. Beside it stands the plain baseline: the best passage of the search.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from sanbo.agents.grace.confidence.model import Label
from sanbo.agents.grace.confidence.thresholds import auroc, expected_calibration_error
from sanbo.agents.grace.schemas import ExecutionResult
from sanbo.runs.model import JsonObject, Status
from sanbo.service.access import OPERATOR
from sanbo.service.blocking import BlockingWorkbench, blocking_workbench
from sanbo.settings import load_settings

HERE = Path(__file__).parent / "office"
COLLECTION = "office"
MOST_BACK = 5


class Answered(NamedTuple):
    question: Mapping[str, Any]
    result: ExecutionResult
    asked_back: int

    @property
    def text(self) -> str:
        return " ".join(each.text for each in self.result.sentences)

    @property
    def is_right(self) -> bool:
        if not self.question.get("answers"):
            return not self.result.answered
        return self.result.answered and has_all(self.text, self.question["answers"])

    @property
    def is_silent(self) -> bool:
        """Nobody was asked about it."""
        return self.result.answered and not self.asked_back


def main() -> None:
    parser = argparse.ArgumentParser(description="GRACE on office documents.")
    parser.add_argument("--language", choices=("ja", "en"))
    parser.add_argument("--verbose", action="store_true", help="each wrong answer")
    arguments = parser.parse_args()
    for language in ("ja", "en"):
        if arguments.language in (None, language):
            _measure(language, verbose=arguments.verbose)


def _measure(language: str, *, verbose: bool) -> None:
    questions = yaml.safe_load((HERE / language / "questions.yaml").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as place:
        workspace = Path(place)
        command = [sys.executable, "-m", "sanbo", "--workspace", place, "index", "-c", COLLECTION]
        command.append(str(HERE / language / "documents"))
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        settings = load_settings(workspace, {"SANBO_LLM__PROVIDER": "rules"})
        with blocking_workbench(settings) as bench:
            answered = [_ask(bench, each, language) for each in questions]
    _tell(language, answered, verbose=verbose)


def _ask(bench: BlockingWorkbench, question: Mapping[str, Any], language: str) -> Answered:
    given: JsonObject = {"question": question["question"], "collection": COLLECTION}
    run = bench.call(bench.workbench.start(OPERATOR, "grace", given, language=language))  # pyright: ignore[reportArgumentType]
    run = bench.call(bench.workbench.wait(OPERATOR, run.run_id))
    back = 0
    while run.status is Status.WAITING and back < MOST_BACK:
        back += 1
        interaction = run.open_interactions[0].interaction_id
        said: JsonObject = {"action": "proceed"}
        bench.call(bench.workbench.answer(OPERATOR, run.run_id, said, interaction_id=interaction))
        run = bench.call(bench.workbench.wait(OPERATOR, run.run_id))
    if run.result is None:
        sys.exit(f"{question['id']} ended {run.status.value}: {run.problem}")
    return Answered(question, ExecutionResult.model_validate(run.result), back)


def _tell(language: str, answered: Sequence[Answered], *, verbose: bool) -> None:
    known = [each for each in answered if each.question.get("answers")]
    unknown = [each for each in answered if not each.question.get("answers")]
    silent = [each for each in answered if each.is_silent]
    labels = [
        Label(features={}, score=each.result.confidence, good=each.is_right)
        for each in answered
        if each.result.answered
    ]
    print(f"{language}: {len(answered)} questions, {len(unknown)} without an answer")
    print(f"  right where there is an answer   {_share(known)}")
    print(f"  declined where there is none     {_share(unknown)}")
    print(f"  AUROC {auroc(labels) or 0:.3f}, ECE {expected_calibration_error(labels) or 0:.3f}")
    print(f"  silent {len(silent) / len(answered):.1%} of all, right {_share(silent)}")
    right, total = Counter[str](), Counter[str]()
    for each in answered:
        total[each.question["kind"]] += 1
        right[each.question["kind"]] += each.is_right
    for kind, count in total.most_common():
        print(f"    {kind:13} {right[kind]:4} of {count}")
    for each in answered if verbose else ():
        if not each.is_right:
            wanted = each.question.get("answers") or "(none)"
            told = each.text[:160] or "(declined)"
            print(f"  {each.question['id']} {each.question['kind']}: {each.question['question']}")
            print(f"     wanted {wanted}\n     told {each.result.confidence:.2f} {told}")


def _share(answered: Sequence[Answered]) -> str:
    right = sum(each.is_right for each in answered)
    return f"{right / max(1, len(answered)):.1%} ({right} of {len(answered)})"


def has_all(text: str, facts: Sequence[Sequence[str]]) -> bool:
    plain = _plain(text)
    return all(any(_has(plain, _plain(str(each))) for each in fact) for fact in facts)


def _has(text: str, spelling: str) -> bool:
    """Not 5 in 15, nor 2,000 in 12,000."""
    before = r"(?<![0-9])" if spelling[:1].isdigit() else ""
    after = r"(?![0-9])" if spelling[-1:].isdigit() else ""
    return re.search(before + re.escape(spelling) + after, text) is not None


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"(?<=\d),(?=\d)|\s+", "", folded)


if __name__ == "__main__":
    main()
