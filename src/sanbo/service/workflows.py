"""The workflows of a workbench, by name; each is loaded when it is first asked for."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

from typing_extensions import override

from sanbo.runs.workflow import Workflow

AnyWorkflow = Workflow[Any, Any]


class Workflows(Mapping[str, AnyWorkflow]):
    """The code of all of them takes seconds to load, and most commands need one or none."""

    def __init__(self, loaders: Mapping[str, Callable[[], AnyWorkflow]]) -> None:
        self._loaders = dict(loaders)
        self._loaded: dict[str, AnyWorkflow] = {}
        self._turn = threading.RLock()

    @classmethod
    def of(cls, workflows: "Workflows | Iterable[AnyWorkflow]") -> "Workflows":
        """Those that somebody has made already."""
        if isinstance(workflows, Workflows):
            return workflows
        made = cls({})
        made._loaded = {workflow.name: workflow for workflow in workflows}
        return made

    @override
    def __getitem__(self, name: str) -> AnyWorkflow:
        with self._turn:
            if name not in self._loaded:
                self._loaded[name] = self._loaders[name]()
            return self._loaded[name]

    @override
    def get(self, name: str, default: Any = None) -> Any:
        """Only what is unknown is not there; what fails while it is loaded, fails."""
        if name not in self:
            return default
        return self[name]

    @override
    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._loaders

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._loaders, *self._loaded)))

    @override
    def __len__(self) -> int:
        return len(self._loaders.keys() | self._loaded.keys())

    def only(self, *names: str) -> "Workflows":
        """Some of them, the same ones."""
        return Workflows({name: partial(self.__getitem__, name) for name in names})

    def load(self) -> None:
        """All of them, now: a server has the time before anybody asks."""
        for name in self:
            _ = self[name]

    def close(self) -> None:
        """Ends what they have started."""
        with self._turn, ExitStack() as stack:
            for workflow in self._loaded.values():
                stack.callback(workflow.close)
