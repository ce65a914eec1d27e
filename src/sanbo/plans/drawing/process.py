"""A picture drawn in a process of its own: seconds of work that nobody else waits for.

A thread would not do: the drawing holds the interpreter, and with it a server that draws.
"""

import pickle
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sanbo.kernel.messages import Language
from sanbo.kernel.problems import TimedOut, Unexpected
from sanbo.plans.drawing.figure import Mark
from sanbo.plans.drawing.layout import Direction
from sanbo.plans.drawing.look import Theme
from sanbo.plans.drawing.pictures import draw, draw_png
from sanbo.plans.model import Plan
from sanbo.runs.model import Path

MOST_SECONDS = 60.0
_AT_ONCE = threading.Semaphore(2)


@dataclass(frozen=True)
class Drawing:
    kind: Literal["svg", "png"]
    plan: Plan
    called: Mapping[str, Plan]
    states: Mapping[Path, Mark] | None
    language: Language
    direction: Direction
    theme: Theme

    def drawn(self) -> bytes:
        if self.kind == "png":
            return draw_png(
                self.plan,
                self.states,
                self.language,
                called=self.called,
                direction=self.direction,
            )
        svg = draw(
            self.plan,
            self.states,
            self.language,
            called=self.called,
            direction=self.direction,
            theme=self.theme,
        )
        return svg.encode()

    def drawn_apart(self, seconds: float = MOST_SECONDS) -> bytes:
        """Blocks, without holding the interpreter."""
        command = [sys.executable, "-P", "-c", f"import {__name__} as made; made.main()"]
        try:
            with _AT_ONCE:
                done = subprocess.run(  # noqa: S603 - our own module
                    command,
                    check=False,
                    input=pickle.dumps(self),
                    capture_output=True,
                    timeout=seconds,
                )
        except subprocess.TimeoutExpired:
            raise TimedOut("plan_picture_slow", seconds=seconds) from None
        if done.returncode:
            reason = done.stderr.decode("utf-8", "replace")[-2000:]
            raise Unexpected("plan_picture_failed", details={"reason": reason})
        return done.stdout


def main() -> None:
    """Of that process: it is given a drawing by the one that started it."""
    drawing: Drawing = pickle.load(sys.stdin.buffer)  # noqa: S301 - of our own process
    sys.stdout.buffer.write(drawing.drawn())
