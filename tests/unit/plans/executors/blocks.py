"""A workspace with blocks that compute, fail, hang and crash as the tests need it."""

import hashlib
from pathlib import Path

from sanbo.blocks.block import Files
from sanbo.plans.executors.call import BlockCall
from sanbo.runs.model import FileRef

SPEC = """\
id: try.{name}
version: 1.0.0
entrypoint: tries.py:{name}
inputs:
{inputs}
outputs:
  value: {{}}
"""

CODE = '''\
import ctypes, os, re, subprocess, sys, time
from pathlib import Path
from typing import Any

from sanbo.blocks.block import Block, BlockInputs, NewFile
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import FileRef


class Given(BlockInputs):
    value: Any = None
    note: str = ""


class echo(Block[Given]):
    Inputs = Given

    def run(self, given, context):
        return {"value": given.value}


class about(Block[Given]):
    Inputs = Given

    def run(self, given, context):
        folder = context.workspace_files
        return {"value": {"pid": os.getpid(), "node": context.node, "language": context.language,
            "key": context.idempotency_key, "folder": folder and folder.name,
            "environment": sorted(os.environ)}}


class sleep(Block[Given]):
    Inputs = Given

    def run(self, given, context):
        if given.note:
            with open(given.note, "a") as log:
                log.write(f"{os.getpid()} {os.getppid()}\\\\n")
        time.sleep(given.value)
        return {"value": "awake"}


class meet(Block[Given]):
    """Ends once so many others are at it, too."""
    Inputs = Given

    def run(self, given, context):
        with open(given.note, "a") as log:
            log.write("here\\n")
        for _ in range(600):
            if len(Path(given.note).read_text().split()) == given.value:
                return {"value": "met"}
            time.sleep(0.1)
        raise TimeoutError("nobody came")


class hang(Block[Given]):
    """In a regular expression that lets no other thread in, with a process of its own."""
    Inputs = Given

    def run(self, given, context):
        child = subprocess.Popen(["sleep", "600"])
        Path(given.note).write_text(f"{os.getpid()} {child.pid}")
        re.match(r"(a+)+$", "a" * 100 + "b")
        return {"value": None}


class stray(Block[Given]):
    """What it has started has left its group, and whoever started it in between is gone."""
    Inputs = Given

    def run(self, given, context):
        start = "import subprocess as s; print(s.Popen(['sleep', '600'], {}).pid)"
        start = start.replace("{}", "start_new_session=True, stdout=s.DEVNULL")
        child = subprocess.check_output([sys.executable, "-c", start], text=True)
        Path(given.note).write_text(f"{os.getpid()} {child}")
        time.sleep(600)
        return {"value": None}


class fail(Block[Given]):
    Inputs = Given

    def run(self, given, context):
        if given.value == "problem":
            raise InvalidInput("file_not_found", name=given.note)
        if given.value == "exit":
            sys.exit(3)
        if given.value == "memory":
            raise MemoryError
        raise RuntimeError(f"broken by {given.note}")


class crash(Block[Given]):
    """Ends its process; with a note, only as long as the file of that name is not there."""
    Inputs = Given

    def run(self, given, context):
        if given.note and Path(given.note).exists():
            return {"value": "survived"}
        if given.note:
            Path(given.note).touch()
        if given.value == "segfault":
            ctypes.string_at(0)
        if given.note:
            child = subprocess.Popen(["sleep", "600"])
            Path(given.note).write_text(str(child.pid))
        os._exit(7)


class say(Block[Given]):
    Inputs = Given

    def run(self, given, context):
        print("to stdout", given.note)
        return {"value": None}


class chatter(Block[Given]):
    Inputs = Given

    def run(self, given, context):
        print("to stdout", given.note, flush=True)
        os.write(1, b"raw " + b"x" * 100_000 + b"\\\\n")
        sys.stderr.write("to stderr\\\\n")
        return {"value": sys.stdin.read()}


class read(Block[Given]):
    Inputs = Given

    def run(self, given, context):
        data = context.files.read(FileRef.model_validate(given.value[0]["deep"]))
        return {"value": NewFile("copy.txt", data[::-1], "text/plain")}
'''


class MemoryFiles:
    """Bytes by their digest, for a test that has no store."""

    def __init__(self, *contents: bytes) -> None:
        self.by_id = {hashlib.sha256(each).hexdigest(): each for each in contents}

    def read(self, file: FileRef) -> bytes:
        return self.by_id[file.file_id]


def write_blocks(workspace: Path) -> Path:
    folder = workspace / "block_specs"
    folder.mkdir(parents=True)
    (folder / "tries.py").write_text(CODE.replace("\\\\n", "\\n"), "utf-8")
    names = (
        "echo",
        "about",
        "sleep",
        "meet",
        "hang",
        "stray",
        "fail",
        "crash",
        "chatter",
        "say",
        "read",
    )
    inputs = "  value: {}\n  note: {type: string, default: ''}"
    for name in names:
        (folder / f"{name}.yaml").write_text(SPEC.format(name=name, inputs=inputs), "utf-8")
    return workspace


def call(workspace: Path, name: str, value: object = None, **more: object) -> BlockCall:
    files: Files = MemoryFiles()
    made = {
        "block": f"try.{name}@1.0.0",
        "inputs": {"value": value, "note": str(more.pop("note", ""))},
        "node": f"steps/{name}",
        "idempotency_key": "run_1/steps",
        "language": "en",
        "files": files,
        "workspace": workspace,
        **more,
    }
    # pyrefly: ignore[bad-argument-type]
    return BlockCall(**made)
