"""Regular expressions from plans: they are data, so none may run without end."""

from collections.abc import Callable
from typing import TypeVar

import regex

from sanbo.kernel.problems import InvalidInput, TimedOut

_SECONDS = 1.0

Result = TypeVar("Result")


class Pattern:
    def __init__(self, text: str) -> None:
        self._text = text
        self._compiled = self._guarded(lambda: regex.compile(text))

    def found_in(self, text: str) -> bool:
        return self._guarded(lambda: self._compiled.search(text, timeout=_SECONDS)) is not None

    def extracted_from(self, text: str) -> str | None:
        """What its first group finds, or all of it where it has none."""
        found = self._guarded(lambda: self._compiled.search(text, timeout=_SECONDS))
        return None if found is None else found[1 if self._compiled.groups else 0]

    def replaced_in(self, text: str, by: str) -> str:
        return self._guarded(lambda: self._compiled.sub(by, text, timeout=_SECONDS))

    def _guarded(self, use: Callable[[], Result]) -> Result:
        try:
            return use()
        except TimeoutError:
            raise TimedOut("transform_pattern_slow", pattern=self._text) from None
        except (regex.error, IndexError) as error:  # IndexError: \7 where there is no seventh group
            raise InvalidInput(
                "transform_pattern_unreadable", pattern=self._text, reason=str(error)
            ) from None
