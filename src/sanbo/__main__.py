"""Starts the command line. Ctrl-C while it is being loaded is answered once it can speak."""

import signal

_asked: list[int] = []
signal.signal(signal.SIGINT, lambda number, _frame: _asked.append(number))

from sanbo.cli.main import main  # noqa: E402 - the signal must be caught before the long imports


def start() -> None:
    main(is_interrupted=bool(_asked))


if __name__ == "__main__":
    start()
