"""What the sandbox of analysis costs: handing a table over, a group-by, and the parent's memory.

    python benchmarks/analysis_guard.py [--rows 1000000] [--rounds 7] [--questions 200]

Each group-by is done in turn by plain pandas on a frame in memory and by a spec in the sandbox, in
the same run, so that what else the machine does hits both. Ends with 1 when a target is missed.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc

from sanbo.agents.analysis.jobs import Executed
from sanbo.agents.analysis.outcome import Outcome
from sanbo.sandbox.client import Sandbox
from sanbo.sandbox.memory import Memory

JOBS = "sanbo.agents.analysis.worker"
MEBIBYTE = 1 << 20
HAND_OVER_SECONDS = 0.5
RATIO, FIXED_MS = 1.5, 60.0
GROWTH_MIB = 20.0
STORES = [f"{place}店" for place in ("新宿", "渋谷", "池袋", "横浜", "大宮", "千葉", "梅田")]
CATEGORIES = ["食品", "飲料", "日用品", "衣料", "家電", "書籍", "玩具", "医薬品"]


class Question(NamedTuple):
    name: str
    keys: list[str]
    metrics: dict[str, list[str]]


QUESTIONS = (
    Question("one key of words, one sum", ["店舗"], {"売上": ["sum"]}),
    Question(
        "two keys of words, two means", ["店舗", "カテゴリ"], {"売上": ["mean"], "数量": ["mean"]}
    ),
    Question(
        "a key of numbers, five measures",
        ["担当"],
        {"売上": ["sum", "mean", "min", "max", "count"]},
    ),
    Question("a key of 50,000 words, one sum", ["顧客"], {"売上": ["sum"]}),
    Question("a key and a measure with missing cells", ["地域"], {"値引": ["sum", "mean"]}),
    Question("two keys, median and deviation", ["店舗", "曜日"], {"粗利": ["median", "std"]}),
)


def table_of(rows: int) -> pa.Table:
    """20 columns: whole numbers, decimals, dates, few and many words; a third of them with gaps."""
    chance = np.random.default_rng(1)

    def words(choices: list[str]) -> pa.Array:
        codes = pa.array(chance.integers(0, len(choices), rows).astype("int32"))
        # pyrefly: ignore[bad-argument-type]
        return pa.DictionaryArray.from_arrays(codes, choices).cast(pa.string())

    def gaps(values: pa.Array) -> pa.Array:
        return pc.if_else(pa.array(chance.random(rows) < 0.05), None, values)

    def day() -> pa.Array:
        days = chance.integers(0, 1000, rows).astype("int64") * 86_400_000_000
        return pa.array(days + 1_672_531_200_000_000).cast(pa.timestamp("us"))

    def number(most: int) -> pa.Array:
        return pa.array(chance.integers(0, most, rows))

    def decimal() -> pa.Array:
        return pa.array(chance.gamma(2.0, 1000.0, rows))

    columns: dict[str, pa.Array] = {
        "番号": pa.array(np.arange(rows)),
        "日付": day(),
        "出荷日": gaps(day()),
        "店舗": words(STORES),
        "カテゴリ": words(CATEGORIES),
        "地域": gaps(words(["関東", "関西", "中部", "九州", "北海道"])),
        "曜日": words(list("月火水木金土日")),
        "顧客": words([f"顧客{number:05}" for number in range(50_000)]),
        "商品": words([f"商品-{number:04}" for number in range(2_000)]),
        "備考": gaps(words(["", "返品あり", "要確認", "ギフト包装を希望"])),
        "担当": number(300),
        "数量": number(20),
        "ポイント": gaps(number(1000)),
        "レジ": number(40),
        "売上": decimal(),
        "原価": decimal(),
        "粗利": decimal(),
        "値引": gaps(decimal()),
        "気温": gaps(pa.array(chance.normal(16.0, 8.0, rows))),
        "会員": pa.array(chance.random(rows) < 0.4),
    }
    return pa.table(columns)


def handed_over(table: pa.Table) -> Memory:
    def write(file: object) -> None:
        # pyrefly: ignore[bad-argument-type]
        with ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)

    return Memory.written(write)


def ask(sandbox: Sandbox, table: Memory, question: Question) -> Outcome:
    spec = {"op": "groupby_agg", "group_cols": question.keys, "metrics": question.metrics}
    job = json.dumps({"execute": {"spec": {"type": "analysis", **spec}}}).encode()
    answer = sandbox.run(job, [table])
    if answer.output is not None:
        answer.output.close()
    return Executed.model_validate_json(answer.report).outcome


def plain(frame: pd.DataFrame, question: Question) -> pd.DataFrame:
    grouped = frame.groupby(question.keys, dropna=False, observed=True)
    return grouped.agg(question.metrics)


def ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


class Held(NamedTuple):
    """MiB of this process: all, its part of what it shares, and what is its alone."""

    rss: float
    pss: float
    uss: float


def held() -> Held:
    info = psutil.Process().memory_full_info()
    sizes = (info.rss, getattr(info, "pss", info.rss), info.uss)
    return Held(*(size / MEBIBYTE for size in sizes))


def verdict(what: str, is_met: bool) -> bool:
    print(f"  target: {what}: {'met' if is_met else 'MISSED'}")
    return is_met


def measure_hand_over(sandbox: Sandbox, table: pa.Table, rounds: int) -> bool:
    """To the moment at which an action has the table open and answers from it."""
    rows = Question("rows", [], {})

    def once() -> float:
        began = time.perf_counter()
        memory = handed_over(table)
        ask(sandbox, memory, rows)
        taken = time.perf_counter() - began
        memory.close()
        return taken

    seconds = statistics.median(once() for _ in range(rounds))
    print(f"hand-over of {table.nbytes / MEBIBYTE:,.0f} MiB: {seconds:.3f} s")
    return verdict(f"at most {HAND_OVER_SECONDS} s", seconds <= HAND_OVER_SECONDS)


def measure_questions(sandbox: Sandbox, table: Memory, frame: pd.DataFrame, rounds: int) -> bool:
    print("\nguarded group-by beside plain pandas, median     plain ms  guarded ms  allowed ms")
    all_met = True
    for question in QUESTIONS:
        pairs = [
            (ms(partial(plain, frame, question)), ms(partial(ask, sandbox, table, question)))
            for _ in range(rounds)
        ]
        own, guarded = (statistics.median(side) for side in zip(*pairs, strict=True))
        allowed = RATIO * own + FIXED_MS
        all_met = all_met and guarded <= allowed
        print(f"  {question.name:<46} {own:8.1f}  {guarded:10.1f}  {allowed:10.1f}")
        groups = ask(sandbox, table, question).tables[0].row_count
        assert groups == len(plain(frame, question)), "both must have done the same work"
    return verdict(f"at most {RATIO} x plain + {FIXED_MS:.0f} ms", all_met)


def measure_growth(sandbox: Sandbox, table: Memory, count: int) -> bool:
    for question in QUESTIONS:  # what is loaded at the first use is not growth
        ask(sandbox, table, question)
    start = held()
    for number in range(count):
        ask(sandbox, table, QUESTIONS[number % len(QUESTIONS)])
    end = held()
    print(f"\nmemory of the parent in MiB, {count} questions")
    for name, before, after in zip(Held._fields, start, end, strict=True):
        print(f"  {name}  {before:8.1f} to {after:8.1f}")
    growth = max(end.rss - start.rss, end.pss - start.pss)
    return verdict(f"rss and pss grow by less than {GROWTH_MIB:.0f} MiB", growth < GROWTH_MIB)


def main() -> None:
    parser = argparse.ArgumentParser(description="What the sandbox of analysis costs.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--questions", type=int, default=200)
    given = parser.parse_args()
    table = table_of(given.rows)
    with Sandbox(JOBS) as sandbox:
        print(f"{sandbox.level.guard}, {table.num_rows:,} x {table.num_columns}\n")
        met = [measure_hand_over(sandbox, table, given.rounds)]
        memory = handed_over(table)
        frame = table.to_pandas()
        met.append(measure_questions(sandbox, memory, frame, given.rounds))
        del frame, table
        met.append(measure_growth(sandbox, memory, given.questions))
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
