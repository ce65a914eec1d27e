"""How many questions about tables are answered rightly: 300 of our own, and the NLV corpus.

    python benchmarks/analysis_questions.py [--nlv FOLDER] [--only TEXT] [--verbose]

The questions (`analysis/questions/*.yaml`) are in Japanese and English, about tables with the
blemishes of real ones (`analysis/tables`, written by `analysis/make_tables.py`). What an answer
must hold is computed with plain pandas from the same file: each number beside its label, in one
of the answer's tables. Charts are compared by what they draw. Ends with 1 when less than 90 % of
our questions, or 60 % of the corpus, are right.
"""

import argparse
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from analysis import nlv
from analysis.asking import Answered, Conversation, Product, open_product
from analysis.drawn import drawn, figures_of, shows
from analysis.expectations import Question, QuestionFile, read_questions
from analysis.finding import find
from analysis.recipes import evaluate
from analysis.truth import read_table

from sanbo.kernel.messages import Language

AT_ONCE = 4
"""Conversations: one waits for the disk while another counts."""
TARGET = 0.90
NLV_TARGET = 0.60


class Asked(NamedTuple):
    file: QuestionFile
    frame: pd.DataFrame
    language: Language
    question: Question


class Judged(NamedTuple):
    table: str
    languages: str
    """Of the question, and of the table."""
    question: Question
    answered: Answered
    wrong: str
    """What the answer lacks; empty where it is right."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=["rules", "configured"], default="rules")
    parser.add_argument("--nlv", type=Path, help="the folder of the NLV corpus")
    parser.add_argument("--sample", type=int, default=0, help="requests of the corpus; 0: all")
    parser.add_argument("--only", default="", help="questions, tables or topics with this text")
    parser.add_argument("--verbose", action="store_true", help="also what each answer was")
    arguments = parser.parse_args()
    only, is_verbose = arguments.only, arguments.verbose
    with open_product(arguments.engine) as product:
        is_good = _own_questions(product, only, is_verbose=is_verbose)
        if arguments.nlv:
            is_good &= _corpus(
                product, arguments.nlv, only, arguments.sample, is_verbose=is_verbose
            )
    sys.exit(0 if is_good else 1)


# ---- our own questions ----


def _own_questions(product: Product, only: str, *, is_verbose: bool) -> bool:
    asked = [
        Asked(file, frame, language, question)
        for file in read_questions()
        for frame in [read_table(file)]
        for language, question in file.questions()
        if only in f"{file.table} {question.topic} {question.ask}"
    ]
    judged: list[Judged] = []
    began = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for each in pool.map(partial(_judge, product), asked):
            judged.append(each)
            if each.wrong or is_verbose:
                _show(each, is_verbose=is_verbose)
    if not judged:
        print(f"no question of our own has {only!r} in it")
        return True
    seconds = time.perf_counter() - began
    print(f"\nEngine {product.engine}: {len(judged)} questions in {seconds:.0f} s")
    right = [not each.wrong for each in judged]
    _tally("table", [each.table for each in judged], right)
    _tally("kind of question", [each.question.topic for each in judged], right)
    _tally("language", [each.languages for each in judged], right)
    share = sum(right) / len(right)
    print(f"  all: {share:.1%} (target {TARGET:.0%})")
    return share >= TARGET


def _judge(product: Product, asked: Asked) -> Judged:
    path, question = asked.file.path, asked.question
    conversation = Conversation(asked.language)
    for earlier in question.before:
        product.ask(path, earlier, conversation)
    answered = product.ask(path, question.ask, conversation)
    wrong = _what_is_wrong(question, answered, asked.frame)
    table_language = "en" if all(str(name).isascii() for name in asked.frame.columns) else "ja"
    languages = f"{asked.language} on {table_language}"
    return Judged(asked.file.table, languages, question, answered, wrong)


def _what_is_wrong(question: Question, answered: Answered, frame: pd.DataFrame) -> str:
    if answered.kind not in question.kind:
        return f"{answered.kind} instead of {' or '.join(question.kind)}"
    if question.chart is not None:
        plots = [drawn(plot, answered.steps) for plot in answered.plots]
        if not plots:
            return "no chart"
        if not any(shows(question.chart, plot) for plot in plots):
            return f"another chart: {plots[-1]}"
    recipes = list(question.expect)
    if question.chart is not None and (recipe := figures_of(question.chart)) is not None:
        recipes.append(recipe)
    if not all(find(evaluate(recipe, frame), answered.tables) for recipe in recipes):
        return "numbers"
    if question.either and not any(
        find(evaluate(recipe, frame), answered.tables) for recipe in question.either
    ):
        return "numbers"
    return ""


def _show(judged: Judged, *, is_verbose: bool) -> None:
    mark = "✗" if judged.wrong else "✓"
    print(f"{mark} {judged.table} [{judged.question.topic}] {judged.question.ask}")
    if judged.wrong:
        print(f"    {judged.wrong}")
    _show_answer(judged.answered, is_verbose=is_verbose)


def _show_answer(answered: Answered, *, is_verbose: bool) -> None:
    for result_id, spec in answered.steps.items():
        what = spec.kind if spec.type == "plot" else spec.op
        print(f"    {result_id} {what} {spec.model_dump_json(exclude_defaults=True)}")
    if is_verbose or not answered.steps:
        for text in answered.texts:
            print(f"    {answered.kind}: {text[:200]}")
    if is_verbose:
        for table in answered.tables:
            print(f"    {table.title}: {table.headers}, {len(table.rows)} rows")
            for row in table.rows[:5]:
                print(f"      {row}")


# ---- the NLV corpus ----


def _corpus(product: Product, folder: Path, only: str, sample: int, *, is_verbose: bool) -> bool:
    requests, charts = nlv.read_corpus(folder)
    requests = [request for request in requests if only in f"{request.vis} {request.turns}"]
    if sample:
        requests = random.Random(1).sample(requests, min(sample, len(requests)))
    judged: list[nlv.Judged] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for each in pool.map(partial(nlv.judge, product, folder, charts), requests):
            judged.append(each)
            if is_verbose and each.reason:
                request = each.request
                print(f"✗ {request.dataset} [{request.vis}] {' | '.join(request.turns)}")
                print(f"    {each.reason}")
                _show_answer(each.answered, is_verbose=False)
    if not judged:
        print(f"no request of the corpus has {only!r} in it")
        return True
    print(f"\nNLV corpus, engine {product.engine}: {len(judged)} requests")
    right = [not each.reason for each in judged]
    _tally("intended chart", [each.request.vis for each in judged], right)
    _tally("table", [each.request.dataset for each in judged], right)
    kinds = ["in turns" if len(each.request.turns) > 1 else "at once" for each in judged]
    _tally("asked", kinds, right)
    reasons = [each.reason for each in judged if each.reason]
    print("  not matched:")
    for reason in sorted(set(reasons), key=lambda each: -reasons.count(each)):
        print(f"    {reasons.count(reason):4} {reason}")
    share = sum(right) / len(right)
    print(f"  all: {share:.1%} (target {NLV_TARGET:.0%})")
    return share >= NLV_TARGET


def _tally(title: str, names: Sequence[str], right: Iterable[bool]) -> None:
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for name, is_right in zip(names, right, strict=True):
        found[name].append(is_right)
    print(f"  by {title}:")
    for name, all_ in sorted(found.items()):
        print(f"    {name:20} {sum(all_):4} of {len(all_):4}  {sum(all_) / len(all_):6.1%}")


if __name__ == "__main__":
    main()
