"""Questions about tables that somebody wrote who has not seen the rules, each set run once.

    python benchmarks/analysis_unseen.py [SET.yaml ...] [--data FOLDER] [--verbose]

A set is a YAML file of questions with the figures their author worked out (`analysis/judging.py`
says how it is written); those of `analysis/unseen` have been run and mended on, and show only that
nothing got worse. `--data` is the folder of the public tables that `data:` stands for; without it
their questions are left out. An answer at once is right or silently wrong; where readings are
offered, each of them is chosen and judged. Prints the shares of both, by language and by kind. Ends
with 1 when more than 2 % are silently wrong, less than 55 % right at once, or less than 80 % right
with the readings offered.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from analysis.asking import Conversation, Product, open_product
from analysis.judging import Question, judge, read_file

from sanbo.agents.analysis.results import AnalysisResult

MOST_WRONG, LEAST_AT_ONCE, LEAST_OFFERED = 0.02, 0.55, 0.80


class Judged(NamedTuple):
    question: Question
    outcome: str
    """right, offered, asked, refused, failed, wrong."""
    reason: str
    result: AnalysisResult | str


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kept = sorted(Path(__file__).with_name("analysis").glob("unseen/*/questions.yaml"))
    parser.add_argument("sets", nargs="*", type=Path, default=kept)
    parser.add_argument("--data", type=Path, help="the folder of public tables")
    parser.add_argument("--only", default="", help="the ids that begin so")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    is_good = True
    with open_product("rules") as product:
        for path in arguments.sets:
            asked = [one for one in read_file(path, arguments.data) if one.table]
            questions = [one for one in asked if one.id.startswith(arguments.only)]
            judged = [_judged(product, path, question) for question in questions]
            for each in judged:
                if each.outcome != "right" or arguments.verbose:
                    _show(each)
            is_good &= _summary(path, judged)
    sys.exit(0 if is_good else 1)


def _judged(product: Product, path: Path, question: Question) -> Judged:
    result, conversation = _asked(product, path, question)
    if isinstance(result, str):
        return Judged(question, "failed", result, result)
    verdict = judge(question, result)
    if verdict.outcome == "asked" and result.readings:
        for number in range(1, len(result.readings) + 1):
            _, conversation = _asked(product, path, question)
            chosen = product.result(_table(path, question), str(number), conversation)
            if not isinstance(chosen, str) and judge(question, chosen).is_right:
                return Judged(question, "offered", f"reading {number}", result)
    return Judged(question, verdict.outcome, verdict.reason, result)


def _asked(
    product: Product, path: Path, question: Question
) -> tuple[AnalysisResult | str, Conversation]:
    conversation = Conversation(question.language)
    table = _table(path, question)
    for earlier in question.before:
        product.result(table, earlier, conversation)
    return product.result(table, question.ask, conversation), conversation


def _table(path: Path, question: Question) -> Path:
    return path.parent / question.table


def _show(judged: Judged) -> None:
    question, result = judged.question, judged.result
    print(f"{judged.outcome:8} {question.id} {Path(question.table).name} | {question.ask}")
    print(f"         {judged.reason}")
    if isinstance(result, str):
        return
    for chip in result.reading:
        print(f"         {chip.label}: {chip.text}")
    if not result.reading:
        print(f"         {result.answer_md[:300]!r}")


def _summary(path: Path, judged: list[Judged]) -> bool:
    print(f"\n{path.parent.name}/{path.name}: {len(judged)} questions")
    for title, chosen in (
        ("all", judged),
        ("ja", [one for one in judged if one.question.language == "ja"]),
        ("en", [one for one in judged if one.question.language == "en"]),
    ):
        counts = Counter(one.outcome for one in chosen)
        if not chosen:
            continue
        at_once, offered = counts["right"], counts["right"] + counts["offered"]
        total = len(chosen)
        print(
            f"  {title:4} right at once {at_once / total:6.1%}"
            f"   with readings {offered / total:6.1%}"
            f"   silently wrong {counts['wrong'] / total:6.1%}   {dict(counts)}"
        )
    counts = Counter(one.outcome for one in judged)
    total = len(judged)
    return (
        counts["wrong"] <= MOST_WRONG * total
        and counts["right"] >= LEAST_AT_ONCE * total
        and counts["right"] + counts["offered"] >= LEAST_OFFERED * total
    )


if __name__ == "__main__":
    main()
