"""Object stores that refuse their service, as problems: what it is, and what to do about it.

What they answer is not shown: it may name keys, and what they were asked with.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

from sanbo.kernel.problems import StorageUnavailable

NO_PLACE = ("NoSuchBucket", "ContainerNotFound", "InvalidBucketName")
_WHO_AM_I = ("169.254.169.254", "169.254.170.2", "metadata.google.internal")
"""Asked for credentials where the environment has none."""


class ObjectMissing(Exception):
    """The store is there, and has no such object."""


@contextmanager
def object_failures(place: str, *, is_writing: bool = False) -> Generator[None]:
    try:
        yield
    except (BaseError, FileNotFoundError, BotoCoreError, ClientError) as error:
        raise _told(error, place, is_writing=is_writing) from None


def _told(error: Exception, place: str, *, is_writing: bool) -> Exception:
    words = str(error)
    code = _code(words)
    if code in NO_PLACE or any(f"({name})" in words for name in NO_PLACE):
        return StorageUnavailable("blobs_place_missing", place=place)
    if isinstance(error, FileNotFoundError) and not is_writing:
        return ObjectMissing(place)
    if _is_refusal(error) or any(each in words for each in _WHO_AM_I):
        return StorageUnavailable("blobs_refused", place=place, reason=code or "–")
    return StorageUnavailable("blobs_unreachable", place=place, reason=code or _first_words(words))


def _code(words: str) -> str:
    """S3's, Google's and Azure's answers have one: `<Code>NoSuchBucket</Code>`."""
    _, found, rest = words.partition("<Code>")
    return rest.partition("</Code>")[0][:60] if found else ""


def _is_refusal(error: Exception) -> bool:
    if isinstance(error, PermissionDeniedError | UnauthenticatedError | NoCredentialsError):
        return True
    answer: Any = getattr(error, "response", {})  # of botocore, which has no types
    return answer.get("ResponseMetadata", {}).get("HTTPStatusCode") in (401, 403)


def _first_words(words: str) -> str:
    """How the request ended, without where it went."""
    line = words.partition("\n")[0]
    return line.rpartition(" - ")[2][:200] or "–"
