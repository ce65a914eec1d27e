"""What indexing many files costs: seconds and memory, for a folder and for one ten times as large.

    python benchmarks/indexing.py [--files 1000 10000]

Every call is the real command in a process of its own. Memory is the most that the process and
its readers held at once, without the pages of the index itself, which the system maps from disk
and takes back when it needs room ("mapped"); it must not grow with the number of files.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import psutil

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
    arguments = parser.parse_args()
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
