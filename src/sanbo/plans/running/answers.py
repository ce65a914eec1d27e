"""Answers that come in while a run is at work wake the node that has asked, and no other."""

import asyncio

from sanbo.runs.model import Event, InteractionAnswered, Path


class Answers:
    def __init__(self) -> None:
        self._listeners: dict[Path, asyncio.Event] = {}

    def listen(self, node: Path) -> asyncio.Event:
        """Set when a question at or below the node is answered."""
        return self._listeners.setdefault(node, asyncio.Event())

    def stop_listening(self, node: Path) -> None:
        self._listeners.pop(node, None)

    def hear(self, event: Event) -> None:
        if not isinstance(event.payload, InteractionAnswered):
            return
        for depth in range(1, len(event.path) + 1):
            listener = self._listeners.get(event.path[:depth])
            if listener is not None:
                listener.set()
