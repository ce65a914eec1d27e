"""When an answer is due: a day, a moment, or a length of time from the asking."""

from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple

from sanbo.kernel.problems import InvalidInput
from sanbo.language.cells import parse_date
from sanbo.language.spans import parse_span

_END_OF_DAY = time(23, 59, 59)


class Deadline(NamedTuple):
    due_at: datetime | None = None
    remind_at: datetime | None = None


def read_due(written: str) -> datetime | timedelta | None:
    """A day lasts until its end, by the clock of this machine; None for what is neither."""
    moment = parse_date(written)
    if moment is None:
        return parse_span(written)
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, _END_OF_DAY)
    return moment.astimezone(UTC)


def deadline(due: str | None, reminder: str | None, *, node: str) -> Deadline:
    """`reminder`: how long before, or when."""
    if not due:
        return Deadline()
    now = datetime.now(UTC)
    due_at = _read(due, node)
    due_at = now + due_at if isinstance(due_at, timedelta) else due_at
    if not reminder:
        return Deadline(due_at)
    remind_at = _read(reminder, node)
    return Deadline(due_at, due_at - remind_at if isinstance(remind_at, timedelta) else remind_at)


def _read(written: str, node: str) -> datetime | timedelta:
    read = read_due(written)
    if read is None:
        raise InvalidInput("form_due", node=node, value=written)
    return read
