"""Text that runs stream while they work: it is in no journal, so somebody here has to listen."""

import asyncio

from sanbo.runs.model import NodeComplete, NodeError, Path, TextDelta
from sanbo.service.access import Caller
from sanbo.service.blocking import BlockingWorkbench
from sanbo.service.workbench import Workbench

MAX_CHARACTERS = 20_000
IDLE_SECONDS = 30.0
"""After this long without a page that looks, nobody listens any more."""


class _Listener:
    task: asyncio.Task[None]

    def __init__(self) -> None:
        self.texts: dict[Path, str] = {}
        self.idle: asyncio.TimerHandle | None = None


class LiveTexts:
    """One listener a run, shared by all pages that show it."""

    def __init__(self) -> None:
        self._listeners: dict[str, _Listener] = {}

    def of(self, bench: BlockingWorkbench, caller: Caller, run_id: str) -> dict[Path, str]:
        """What each step that is at work has said so far."""
        return bench.call(self._look(bench.workbench, caller, run_id))

    async def _look(self, workbench: Workbench, caller: Caller, run_id: str) -> dict[Path, str]:
        run = await workbench.get(caller, run_id)
        listener = self._listeners.get(run_id)
        if listener is None:
            if run.status.is_final:
                return {}
            listener = self._listeners[run_id] = _Listener()
            listener.task = asyncio.create_task(
                self._listen(workbench, caller, run_id, run.last_seq, listener)
            )
        self._stop_when_idle(listener)
        return dict(listener.texts)

    async def _listen(
        self, workbench: Workbench, caller: Caller, run_id: str, after: int, listener: _Listener
    ) -> None:
        try:
            async for event in workbench.follow(caller, run_id, after):
                match event.payload:
                    case TextDelta(text=text, so_far=so_far):
                        said = text if so_far else listener.texts.get(event.path, "") + text
                        listener.texts[event.path] = said[-MAX_CHARACTERS:]
                    case NodeComplete() | NodeError():
                        listener.texts.pop(event.path, None)
                    case _:
                        pass
        finally:
            self._listeners.pop(run_id, None)

    def _stop_when_idle(self, listener: _Listener) -> None:
        """Begun anew at every look: only the last timer ever ends the listening."""
        if listener.idle is not None:
            listener.idle.cancel()
        loop = asyncio.get_running_loop()
        listener.idle = loop.call_later(IDLE_SECONDS, listener.task.cancel)
