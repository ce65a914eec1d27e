"""The process that reads files for another: a file in, a document or a problem out."""

import json
import logging
import os
import signal
import sys
import threading
import time
from typing import IO

from sanbo.documents.extract import extract
from sanbo.documents.model import Source
from sanbo.documents.reading import HEADER, Reading, problem_of, read_exactly
from sanbo.kernel.messages import use_language


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(int(sys.argv[1]))
    _end_with_parent()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a library prints must not end up among the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    try:
        while True:
            _answer(sys.stdin.buffer, answers)
    except (EOFError, BrokenPipeError):
        return  # whoever asked is gone


def _answer(questions: IO[bytes], answers: IO[bytes]) -> None:
    about_size, data_size = HEADER.unpack(read_exactly(questions, HEADER.size))
    about = json.loads(read_exactly(questions, about_size))
    source = Source(name=about["name"], data=read_exactly(questions, data_size))
    with use_language(about["language"]):
        answer = _read(source).model_dump_json().encode()
    answers.write(HEADER.pack(len(answer), 0))
    answers.write(answer)
    answers.flush()


def _read(source: Source) -> Reading:
    try:
        return Reading(document=extract(source))
    except Exception as error:
        problem = problem_of(error, source.name)
        if problem.text_id == "file_reader_defect":
            logging.getLogger(__name__).exception("a reader failed")
        return Reading(problem=problem)


def _limit_memory(megabytes: int) -> None:
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    size = megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with_parent() -> None:
    """Should the process that asks be killed while a file hangs here, this one goes too.

    Not by prctl: on Linux that listens for the death of the thread that started us.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    main()
