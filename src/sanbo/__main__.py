"""Starts the command line. Ctrl-C while it is being loaded is answered once it can speak."""

import gc
import os
import signal

# What is loaded stays: to look through it for rubbish after every 700 objects took a tenth of a
# command's time.
gc.set_threshold(50_000, 20, 20)
# Plugins would see all that is validated, and to look for one takes all installed packages.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
_asked: list[int] = []
signal.signal(signal.SIGINT, lambda number, _frame: _asked.append(number))

from sanbo.cli.main import main  # noqa: E402 - the signal must be caught before the long imports


def start() -> None:
    main(is_interrupted=bool(_asked))


if __name__ == "__main__":
    start()
