"""What indexing many files costs: seconds and memory, for a folder and for one ten times as large.

    python benchmarks/indexing.py [--files 1000 10000]
    python benchmarks/indexing.py --data ../shared/data --before FOLDER [--rounds 2]

Every call is the real command in a process of its own. Memory is the most that the process and
its readers held at once, without the pages of the index itself, which the system maps from disk
and takes back when it needs room ("mapped"); it must not grow with the number of files.

With `--before`, a checkout of another commit: its code and this one build and search the same
collection of paragraphs in turns (Japanese Wikipedia, English terms of service and requirements),
and the first ten hits of the same questions are held beside each other.
"""

import argparse
import csv
import importlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from qa_data import Paragraph, load

WORDS = (
    "契約 請求 納品 検収 支払 見積 発注 在庫 売上 経費 出張 稟議 議事録 規程 秘密保持 個人情報 "
    "監査 東京 大阪 名古屋 福岡 札幌 営業部 総務部 経理部 人事部 開発部 山田 佐藤 鈴木 高橋 田中"
)
MEBIBYTE = 1024 * 1024


class Measured(NamedTuple):
    seconds: float
    main: float
    mapped: float
    readers: float


def main() -> None:
    parser = argparse.ArgumentParser(description="Indexing many files.")
    parser.add_argument("--files", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.alone:
        _build_and_ask(arguments.alone)
        return
    if arguments.before:
        _beside(arguments.data, arguments.before, arguments.rounds, arguments.questions)
        return
    print("   files   seconds  ms a file  main MiB  mapped MiB  readers MiB  what")
    peaks: list[float] = []
    for count in arguments.files:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "files"
            _write(folder, count)
            for what in ("first", "again"):
                measured = _index(Path(place) / "workspace", folder)
                print(
                    f"{count:8,} {measured.seconds:9.1f} {measured.seconds / count * 1000:10.2f}"
                    f" {measured.main:9.0f} {measured.mapped:11.0f}"
                    f" {measured.readers:12.0f}  {what}"
                )
                if what == "first":
                    peaks.append(measured.main)
    print(f"memory of the largest beside the smallest: {peaks[-1] / peaks[0]:.2f} ×")


def _beside(data: Path, before: Path, rounds: int, count: int) -> None:
    paragraphs, questions = _material(data)
    asked = random.Random(0).sample(questions, min(count, len(questions)))
    trees = {"before": before.absolute(), "now": Path(__file__).parents[1]}
    told: dict[str, list[dict[str, Any]]] = {name: [] for name in trees}
    with tempfile.TemporaryDirectory() as place:
        given = Path(place) / "given.json"
        given.write_text(json.dumps([paragraphs, asked]), "utf-8")
        print(f"{len(paragraphs):,} paragraphs, {len(asked):,} questions")
        for _ in range(rounds):
            for name, tree in trees.items():
                found = Path(place) / "found.json"
                path = os.pathsep.join(str(tree / part) for part in ("src", "benchmarks"))
                command = [sys.executable, "-P", __file__, "--alone", str(given)]
                with found.open("w") as output:
                    environment = {**os.environ, "PYTHONPATH": path}
                    subprocess.run(command, env=environment, stdout=output, check=True)
                told[name].append(json.loads(found.read_text("utf-8")))
                one = told[name][-1]
                print(
                    f"  {name:7} built in {one['seconds']:6.1f} s ({one['cpu']:5.1f} s of CPU),"
                    f" search p50 {one['p50']:.2f} ms, p95 {one['p95']:.2f} ms",
                    flush=True,
                )
    times = {name: statistics.median(one["seconds"] for one in told[name]) for name in told}
    same = [a == b for a, b in zip(told["before"][0]["hits"], told["now"][0]["hits"], strict=True)]
    print(f"now {times['before'] / times['now']:.2f} × as fast; the first ten hits are the same,")
    print(f"in the same order, for {sum(same):,} of {len(same):,} questions")
    for question, before_ids, now_ids in zip(
        asked, told["before"][0]["hits"], told["now"][0]["hits"], strict=True
    ):
        if before_ids != now_ids:
            print(f"  {question[:50]}: {before_ids} {now_ids}")


def _material(data: Path) -> tuple[list[Paragraph], list[str]]:
    """English has no questions of its own: each is the first words of a paragraph."""
    sets = [load(data / "qa", name) for name in ("jsquad", "jaquad-dev", "jaquad-train")]
    paragraphs = [paragraph for each in sets for paragraph in each.paragraphs]
    questions = [each.question for several in sets[:2] for each in several.asked]
    english: list[Paragraph] = []
    for path in sorted((data / "compare").glob("terms-*/*.md")):
        english += [Paragraph(path.parent.name, text) for text in path.read_text().split("\n\n")]
    with (data / "compare" / "asvs-en" / "new.csv").open(encoding="utf-8") as file:
        english += [Paragraph("ASVS", " ".join(row)) for row in csv.reader(file)]
    english = [each for each in dict.fromkeys(english) if len(each.text) > 80]
    questions += [" ".join(each.text.split()[3:11]) for each in english]
    return list(dict.fromkeys(paragraphs + english)), questions


def _build_and_ask(given: Path) -> None:
    """In a process whose path has the code that is measured."""
    paragraphs, asked = json.loads(given.read_text("utf-8"))
    data = importlib.import_module("qa_data")
    with tempfile.TemporaryDirectory() as place:
        began = time.perf_counter()
        library, collection = data.build(
            Path(place), [data.Paragraph(*each) for each in paragraphs]
        )
        seconds = time.perf_counter() - began
        used = psutil.Process().cpu_times()
        cpu = used.user + used.system + used.children_user + used.children_system
        hits: list[list[str]] = []
        times: list[float] = []
        for question in asked:
            began = time.perf_counter()
            found = collection.search(question, limit=10)
            times.append((time.perf_counter() - began) * 1000)
            hits.append([hit.chunk_id for hit in found])
        library.close()
    p95 = statistics.quantiles(times, n=20)[-1]
    told = {"seconds": seconds, "cpu": cpu, "hits": hits}
    print(json.dumps({**told, "p50": statistics.median(times), "p95": p95}))


def _write(folder: Path, count: int) -> None:
    words = WORDS.split()
    chance = random.Random(1)
    for number in range(count):
        path = folder / f"{number // 500:03}" / f"文書{number:05}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [
            "、".join(chance.choices(words, k=12)) + f"について、{number}-{line}号とする。"
            for line in range(chance.randint(3, 12))
        ]
        path.write_text("\n\n".join(lines), "utf-8")


def _index(workspace: Path, folder: Path) -> Measured:
    command = [sys.executable, "-m", "sanbo", "--workspace", str(workspace), "index", str(folder)]
    began = time.perf_counter()
    process = psutil.Popen([*command, "-c", "bench"], stderr=subprocess.DEVNULL)
    main = mapped = readers = 0.0
    while process.poll() is None:
        try:
            held = process.memory_info()
            shared = getattr(held, "shared", 0)  # Linux tells files apart
            main, mapped = max(main, held.rss - shared), max(mapped, shared)
            children = process.children(recursive=True)
            readers = max(readers, sum(child.memory_info().rss for child in children))
        except psutil.NoSuchProcess:
            continue
        time.sleep(0.05)
    if process.returncode != 0:
        sys.exit(f"sanbo index ended with {process.returncode}")
    seconds = time.perf_counter() - began
    return Measured(seconds, main / MEBIBYTE, mapped / MEBIBYTE, readers / MEBIBYTE)


if __name__ == "__main__":
    main()
