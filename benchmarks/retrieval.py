"""How well and how fast a collection finds: Japanese questions over Wikipedia paragraphs.

    python benchmarks/retrieval.py --data ../shared/data/qa

Every paragraph is a document of its own, with the article's title, and goes through the same
collection that users get. Beside it, in the same run and over the same text, stands plain BM25
over character bigrams (bm25s). A question counts as answered at the rank of its own paragraph.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import bm25s
import psutil
from qa_data import Paragraph, build

from sanbo.kernel.text import matching_form

SETS = {"jsquad": ("JSQuAD-valid", 0.97, 0.94), "jaquad": ("JaQuAD-dev", 0.955, 0.89)}
MEBIBYTE = 1024 * 1024


class Questions(NamedTuple):
    label: str
    asked: list[tuple[str, int]]
    """Each with the number of the paragraph it was asked about."""


class Report(NamedTuple):
    name: str
    recall_1: float
    recall_5: float
    recall_10: float
    mrr: float
    p50: float
    p95: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=0, help="questions of each set; 0: all")
    arguments = parser.parse_args()
    jsquad = _load([arguments.data / "jsquad-valid.json"])
    jaquad = _load(
        sorted(arguments.data.glob("jaquad-dev/*.json"))
        + sorted(arguments.data.glob("jaquad-train/*.json")),
        asked_in="jaquad-dev",
    )
    failed = False
    print("Each set in a collection of its own")
    for key, (paragraphs, asked) in (("jsquad", jsquad), ("jaquad", jaquad)):
        questions = Questions(SETS[key][0], _sample(asked, arguments.sample))
        reports = _measure(paragraphs, [questions])
        failed |= not _passes(key, reports)
    print("\nBoth sets in one collection")
    together = jsquad[0] + jaquad[0]
    shifted = [(question, number + len(jsquad[0])) for question, number in jaquad[1]]
    both = [
        Questions(SETS["jsquad"][0], _sample(jsquad[1], arguments.sample)),
        Questions(SETS["jaquad"][0], _sample(shifted, arguments.sample)),
    ]
    for reports in _measure_all(together, both):
        failed |= not _beats_baseline(reports)
    sys.exit(1 if failed else 0)


def _measure(paragraphs: list[Paragraph], questions: list[Questions]) -> list[Report]:
    return _measure_all(paragraphs, questions)[0]


def _measure_all(paragraphs: list[Paragraph], questions: list[Questions]) -> list[list[Report]]:
    process = psutil.Process()
    with tempfile.TemporaryDirectory() as folder:
        before = process.memory_info().rss
        started = time.perf_counter()
        library, collection = build(Path(folder), paragraphs)
        built = time.perf_counter() - started
        grown = process.memory_info().rss - before
        print(
            f"  {len(paragraphs):,} paragraphs: built in {built:.1f} s,"
            f" memory +{grown / MEBIBYTE:.0f} MiB,"
            f" on disk {_size(Path(folder)) / MEBIBYTE:.0f} MiB"
        )
        started = time.perf_counter()
        baseline = Bigrams(paragraphs)
        print(f"  bm25s over bigrams: built in {time.perf_counter() - started:.1f} s")

        def ask_sanbo(query: str) -> list[int]:
            hits = collection.search(query, limit=10)
            return [int(hit.document_id.removeprefix("p")) for hit in hits]

        results: list[list[Report]] = []
        for asked in questions:
            reports = [
                _report("Sanbo", asked.asked, ask_sanbo),
                _report("bm25s bigrams", asked.asked, baseline.ask),
            ]
            print(f"  {asked.label}, {len(asked.asked):,} questions")
            for report in reports:
                print(
                    f"    {report.name:14} R@1 {report.recall_1:.2%}  R@5 {report.recall_5:.2%}"
                    f"  R@10 {report.recall_10:.2%}  MRR@10 {report.mrr:.4f}"
                    f"  p50 {report.p50:.2f} ms  p95 {report.p95:.2f} ms"
                )
            results.append(reports)
        library.close()
    return results


class Bigrams:
    """Plain BM25 with the library's own defaults."""

    def __init__(self, paragraphs: list[Paragraph]) -> None:
        self._engine: Any = bm25s.BM25()
        corpus = [_bigrams(f"{title}\n{text}") for title, text in paragraphs]
        self._engine.index(corpus, show_progress=False)

    def ask(self, query: str) -> list[int]:
        found, _ = self._engine.retrieve([_bigrams(query)], k=10, show_progress=False)
        return [int(number) for number in found[0]]


def _bigrams(text: str) -> list[str]:
    form = "".join(matching_form(text).split())
    return [form[at : at + 2] for at in range(len(form) - 1)] or [form]


def _report(name: str, asked: list[tuple[str, int]], ask: Callable[[str], list[int]]) -> Report:
    for question, _ in asked[:50]:  # warm
        ask(question)
    ranks: list[int] = []
    times: list[float] = []
    for question, number in asked:
        started = time.perf_counter()
        found = list(dict.fromkeys(ask(question)))
        times.append((time.perf_counter() - started) * 1000)
        ranks.append(found.index(number) + 1 if number in found else 0)
    count = len(ranks)
    return Report(
        name=name,
        recall_1=sum(rank == 1 for rank in ranks) / count,
        recall_5=sum(0 < rank <= 5 for rank in ranks) / count,
        recall_10=sum(0 < rank <= 10 for rank in ranks) / count,
        mrr=sum(1 / rank for rank in ranks if rank) / count,
        p50=statistics.median(times),
        p95=statistics.quantiles(times, n=20)[-1],
    )


def _passes(key: str, reports: list[Report]) -> bool:
    _, recall_5, mrr = SETS[key]
    sanbo = reports[0]
    good = sanbo.recall_5 >= recall_5 and sanbo.mrr >= mrr and sanbo.p50 <= 5
    print(
        f"    target R@5 ≥ {recall_5:.1%}, MRR ≥ {mrr:.2f}, p50 ≤ 5 ms:"
        f" {'held' if good else 'MISSED'}"
    )
    return _beats_baseline(reports) and good


def _beats_baseline(reports: list[Report]) -> bool:
    sanbo, baseline = reports
    good = sanbo.recall_5 >= baseline.recall_5 and sanbo.mrr >= baseline.mrr
    print(f"    not below the baseline: {'held' if good else 'MISSED'}")
    return good


def _load(files: list[Path], asked_in: str = "") -> tuple[list[Paragraph], list[tuple[str, int]]]:
    numbers: dict[Paragraph, int] = {}
    asked: list[tuple[str, int]] = []
    for path in files:
        for paragraph, questions in _paragraphs(path):
            number = numbers.setdefault(paragraph, len(numbers))
            if asked_in in str(path):
                asked += [(question, number) for question in questions]
    return list(numbers), asked


def _paragraphs(path: Path) -> Iterator[tuple[Paragraph, list[str]]]:
    for article in json.loads(path.read_text("utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            # JSQuAD repeats the title before its own mark.
            text = str(paragraph["context"]).split(" [SEP] ")[-1]
            questions = [str(item["question"]) for item in paragraph["qas"]]
            yield Paragraph(str(article["title"]), text), questions


def _sample(asked: list[tuple[str, int]], count: int) -> list[tuple[str, int]]:
    return random.Random(0).sample(asked, count) if 0 < count < len(asked) else asked


def _size(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
