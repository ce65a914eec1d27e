"""How many runs are worked on at once, and who is next: owners in turn, waiting people first."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

_Waiting = dict[str, deque[asyncio.Future[None]]]


class Places:
    """Someone with a thousand runs in the queue keeps nobody else waiting but for one of them."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.taken = 0
        # By owner, who comes next first; of what somebody waits for, and of all else.
        self._urgent: _Waiting = {}
        self._others: _Waiting = {}

    @property
    def waiting(self) -> int:
        return sum(len(each) for queue in (self._urgent, self._others) for each in queue.values())

    @asynccontextmanager
    async def one(self, owner: str, *, is_urgent: bool = False) -> AsyncGenerator[None]:
        if self.taken < self.number:  # whoever waits has been asked before
            self.taken += 1
        else:
            await self._turn(self._urgent if is_urgent else self._others, owner)
        try:
            yield
        finally:
            self.taken -= 1
            self._give()

    def resize(self, number: int) -> None:
        self.number = number
        self._give()

    async def _turn(self, queue: _Waiting, owner: str) -> None:
        mine = asyncio.get_running_loop().create_future()
        queue.setdefault(owner, deque()).append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():  # it was given one in the same moment
                self.taken -= 1
                self._give()
            elif mine in (of_owner := queue.get(owner, deque())):
                of_owner.remove(mine)
                if not of_owner:
                    del queue[owner]
            raise

    def _give(self) -> None:
        while self.taken < self.number and (queue := self._urgent or self._others):
            owner = next(iter(queue))
            of_owner = queue.pop(owner)
            next_one = of_owner.popleft()
            if of_owner:
                queue[owner] = of_owner  # behind all others
            if not next_one.done():
                self.taken += 1
                next_one.set_result(None)
