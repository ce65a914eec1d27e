"""Whether one person's files and questions keep the others waiting.

    python benchmarks/attacks.py [--rounds 3]

The server is the real `sanbo up` in a process of its own. Everything that once froze or swelled it
is thrown at it at the same time, again and again: text files with CRLF that look like mails,
questions that patterns could read in many ways, a workbook of a million rows to be compared, a CSV
file with a quote that is never closed, and 60 listeners of a long plan that never read what they
are sent. Nothing was asked of the server before. Meanwhile another process asks for `/health`, as a
monitor would, and notes how long each answer took; and it asks a server that does nothing at all,
in a process of its own: what that takes longer than alone is this machine's, not Sanbo's. Memory is
the server's own. Ends with 1 where an answer at the 99th percentile took longer than 100 ms, where
the server had more than 600 MB, or where anything broke.
"""

import argparse
import asyncio
import http.client
import io
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
import psutil
from served import served

MEGABYTE = 1_000_000
TARGET_MS = 100.0
TARGET_MB = 600.0
LISTENERS = 60
PROBE_SECONDS = 0.02
LOOK_SECONDS = 1.0
"""Between two looks of an attacker at its run."""
ITEMS = 2_000
FINAL = frozenset(("succeeded", "failed", "cancelled", "waiting"))

QUESTIONS = (
    "売上が1" + "千億" * 20 + "の行",
    "売上が1" + "千億" * 400 + "の行",
    "金" + " " * 2_000 + "の合計",
    "店舗別の売上。" + "大阪店は除く、" * 50,
    "(" * 500 + "売上" + ")" * 500,
)
PLAN = """\
apiVersion: v1
id: many_items
version: 1.0.0
vars: {{items: [{items}]}}
graph:
  - id: each
    type: loop
    foreach: {{input: "${{vars.items}}", itemVar: item}}
    body:
      plan:
        graph:
          - id: quarter
            block: transforms.compute_fiscal_quarter
            in: {{fiscal_year: "${{item}}", quarter: 1}}
        exports: [{{from: quarter.period, as: period}}]
    out: {{collect: period}}
exports: [{{from: each.period, as: periods}}]
"""


class Answers(NamedTuple):
    milliseconds: list[float]
    failed: int

    def at(self, share: float) -> float:
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main() -> None:
    parser = argparse.ArgumentParser(description="Attacks on one server, all at once.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--probe", nargs=2, metavar="ADDRESS", help=argparse.SUPPRESS)
    parser.add_argument("--idle", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.probe:
        _probe(given.probe)
        return
    if given.idle:
        asyncio.run(_do_nothing_at_all())
        return
    with (
        tempfile.TemporaryDirectory() as place,
        _idle_server() as idle_server,
        served(Path(place) / "workspace") as (process, address),
    ):
        both = (address, idle_server)
        quiet, idle, _ = asyncio.run(_under(process, both, _nothing(5)))
        busy, most, outcomes = asyncio.run(_under(process, both, _attack(address, given.rounds)))
    print("                           answers   failed   median ms   99 % ms   slowest ms")
    for name, (answers, of_idle) in (("alone", quiet), ("under attack", busy)):
        for whose, each in (("", answers), (", one that is idle", of_idle)):
            print(
                f"{name + whose:30} {len(each.milliseconds):3} {each.failed:8} {each.at(0.5):11.1f}"
                f" {each.at(0.99):9.1f} {each.at(1):12.1f}"
            )
    print(f"the server's memory: {idle:.0f} MB alone, {most:.0f} MB at its most under attack")
    for outcome, count in sorted(outcomes.items()):
        print(f"{count:5}  {outcome}")
    wrong = [each for each in outcomes if "INTERNAL_ERROR" in each or "HTTP 5" in each]
    told = busy[0]
    if told.failed or told.at(0.99) > TARGET_MS or most > TARGET_MB or wrong:
        sys.exit("the server kept others waiting, grew too large, or failed")


# ---- what is measured ----------------------------------------------------------------------


async def _under(
    process: psutil.Process, addresses: tuple[str, str], load: Any
) -> tuple[list[Answers], float, Counter[str]]:
    """How quickly the server answered while the load lasted, and how large it was at its most."""
    monitor = subprocess.Popen(
        [sys.executable, __file__, "--probe", *addresses],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    most = 0.0
    working = asyncio.create_task(load)
    while not working.done():
        most = max(most, process.memory_info().rss / MEGABYTE)
        await asyncio.sleep(0.05)
    told, _ = await asyncio.to_thread(monitor.communicate)
    return [Answers(*each) for each in json.loads(told)], most, await working


def _probe(addresses: list[str]) -> None:
    """In a process of its own, until its input is closed: a busy client is no slow server."""
    asked: list[tuple[str, list[float], list[int]]] = [
        (urlsplit(address).netloc, [], []) for address in addresses
    ]
    while not select.select([sys.stdin], [], [], 0)[0]:
        for where, times, failures in asked:
            began = time.perf_counter()
            try:
                connection = http.client.HTTPConnection(where, timeout=60)
                connection.request("GET", "/api/v1/health")
                failures.append(connection.getresponse().status != 200)
                connection.close()
            except OSError:
                failures.append(1)
            times.append((time.perf_counter() - began) * 1000)
        time.sleep(PROBE_SECONDS)
    print(json.dumps([[times, sum(failures)] for _, times, failures in asked]))


async def _do_nothing_at_all() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        print(f"http://127.0.0.1:{port}", flush=True)
        await server.serve_forever()


@contextmanager
def _idle_server() -> Generator[str]:
    with subprocess.Popen(
        [sys.executable, __file__, "--idle"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


async def _nothing(seconds: float) -> Counter[str]:
    await asyncio.sleep(seconds)
    return Counter()


# ---- the attack ----------------------------------------------------------------------------


async def _attack(address: str, rounds: int) -> Counter[str]:
    os.nice(15)  # attackers have machines of their own: what they do must not slow this one
    outcomes: Counter[str] = Counter()
    async with httpx.AsyncClient(base_url=address, timeout=900) as client:
        files = {name: await _upload(client, name, data) for name, data in _hostile_files().items()}
        for _ in range(rounds):
            listeners = await _stuck_listeners(client, address)
            texts = [name for name in files if not name.startswith("大きな")]
            tasks = [
                _index(client, [files[name] for name in texts]),
                *(_compare(client, files[name], files["一覧.txt"]) for name in files),
                *(_analyse(client, files[name], "件数") for name in texts),
                *(_analyse(client, files["売上.csv"], question) for question in QUESTIONS),
            ]
            for outcome in await asyncio.gather(*tasks):
                outcomes[outcome] += 1
            for listener in listeners:
                listener.close()
    return outcomes


def _hostile_files() -> dict[str, bytes]:
    urls = "".join(f"https://example.jp/{n}\r\n" for n in range(26))
    card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:山田太郎\r\nTEL:03-0000-0000\r\nEND:VCARD\r\n"
    log = "".join(f"2024-04-01T09:00:{n % 60:02}: 受付 {n}\r\n" for n in range(2_000))
    open_quote = 'a,b,c\n1,"' + "x,y\n" * 250_000
    return {
        "一覧.txt": urls.encode(),
        "長い一覧.txt": (urls * 77).encode(),
        "連絡先.vcf": (card * 40).encode(),
        "受付.log": log.encode(),
        "売上.csv": "店舗,売上\n新宿本店,100\n大阪店,200\n宿場店,300\n".encode("cp932"),
        "大きな引用符.csv": open_quote.encode(),
        "大きな表.xlsx": _workbook(1_000_000),
    }


def _workbook(rows: int) -> bytes:
    """Written by hand: a library would take a minute for it."""
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    packages = "http://schemas.openxmlformats.org/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    sheet = io.StringIO()
    sheet.write(f"<worksheet {space}><sheetData>")
    for row in range(1, rows + 1):
        sheet.write(
            f'<row r="{row}"><c r="A{row}"><v>{row}</v></c><c r="B{row}"><v>7</v></c></row>'
        )
    sheet.write("</sheetData></worksheet>")
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{packages}/content-types"><Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default'
        f' Extension="xml" ContentType="{kinds}.sheet.main+xml"/><Override PartName='
        f'"/xl/worksheets/sheet1.xml" ContentType="{kinds}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{packages}/relationships"><Relationship Id="r1"'
        f' Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {space} xmlns:r="{office}"><sheets><sheet name="表"'
        ' sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{packages}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "xl/worksheets/sheet1.xml": sheet.getvalue(),
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in parts.items():
            package.writestr(name, text)
    return made.getvalue()


async def _upload(client: httpx.AsyncClient, name: str, data: bytes) -> dict[str, Any]:
    answer = await client.post("/api/v1/files", files={"file": (name, data)})
    answer.raise_for_status()
    return answer.json()


async def _index(client: httpx.AsyncClient, files: list[dict[str, Any]]) -> str:
    answer = await client.post("/api/v1/collections/attack/documents", json={"files": files})
    if answer.status_code != 200:
        return f"index: HTTP {answer.status_code}"
    counts = Counter(each["status"] for each in answer.json()["outcomes"])
    return "index: " + ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))


async def _compare(client: httpx.AsyncClient, old: dict[str, Any], new: dict[str, Any]) -> str:
    return await _run(client, "comparison", {"old": [old], "new": [new]})


async def _analyse(client: httpx.AsyncClient, file: dict[str, Any], question: str) -> str:
    return await _run(client, "analysis", {"file": file, "question": question})


async def _run(client: httpx.AsyncClient, workflow: str, given: dict[str, Any]) -> str:
    started = await client.post("/api/v1/runs", json={"workflow": workflow, "input": given})
    if started.status_code != 201:
        problem = started.json()
        return f"{workflow}: HTTP {started.status_code} {problem.get('code')}"
    run = started.json()
    while run["status"] not in FINAL:
        await asyncio.sleep(LOOK_SECONDS)
        run = (await client.get(f"/api/v1/runs/{run['run_id']}")).json()
    problem = run["problem"]
    return f"{workflow}: {run['status']}" + (f" {problem['code']}" if problem else "")


async def _stuck_listeners(client: httpx.AsyncClient, address: str) -> list[socket.socket]:
    """Of a plan with thousands of events; they ask for them and never read one."""
    items = ", ".join(str(2000 + n % 30) for n in range(ITEMS))
    source = {"plan": {"text": PLAN.format(items=items)}}
    given = {"workflow": "plan", "input": {"source": source}}
    started = await client.post("/api/v1/runs", json=given)
    started.raise_for_status()
    run_id = started.json()["run_id"]
    where = urlsplit(address)
    listeners: list[socket.socket] = []
    for _ in range(LISTENERS):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listener.connect((where.hostname, where.port))
        listener.sendall(
            f"GET /api/v1/runs/{run_id}/events HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode()
        )
        listeners.append(listener)
    return listeners


if __name__ == "__main__":
    main()
