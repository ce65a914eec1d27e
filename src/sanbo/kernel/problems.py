"""Everything that can go wrong, as one structured `Problem` and one tree of exceptions.

SanboError
├── InvalidInput          INPUT_VALIDATION_FAILED  what a person or caller gave does not fit
├── InvalidOutput         OUTPUT_SCHEMA_MISMATCH   what a step or model produced does not fit
├── MissingDependency     DEPENDENCY_NOT_FOUND     something this needs is not there
│   └── StorageFailure    STORAGE_UNAVAILABLE      the disk or the database
│       ├── StorageUnavailable                     full, locked, read-only, away: it may pass
│       └── StorageDamaged                         must be put in order first
├── ProviderFailed        API_ERROR                an outside service answered with an error
├── TimedOut              TIMEOUT_ERROR            a time limit was reached
├── PermissionDenied      PERMISSION_DENIED        no right, or a wrong key or token
├── NotFound              NOT_FOUND                no such run, interaction, artifact, file
├── Conflict              CONFLICT                 the state has moved on (stale, finished)
│   └── RunBusy           RUN_BUSY                 another process is advancing this run
├── LimitExceeded         RESOURCE_LIMIT           too large, too many, too often
├── UnsupportedFormat     UNSUPPORTED_FORMAT       a file that can't be read as what it claims to be
├── InvalidSettings       SETTINGS_INVALID         sanbo.yaml or the environment is wrong
└── Unexpected            INTERNAL_ERROR           a defect of ours; the details are in the log
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic_core import to_jsonable_python
from typing_extensions import override

from sanbo.kernel.messages import Language, current_language, has_text, tell
from sanbo.kernel.secrets import redact_value


class Code(StrEnum):
    INPUT_VALIDATION_FAILED = "INPUT_VALIDATION_FAILED"
    OUTPUT_SCHEMA_MISMATCH = "OUTPUT_SCHEMA_MISMATCH"
    DEPENDENCY_NOT_FOUND = "DEPENDENCY_NOT_FOUND"
    STORAGE_UNAVAILABLE = "STORAGE_UNAVAILABLE"
    API_ERROR = "API_ERROR"
    TIMEOUT_ERROR = "TIMEOUT_ERROR"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    NOT_FOUND = "NOT_FOUND"
    CONFLICT = "CONFLICT"
    RUN_BUSY = "RUN_BUSY"
    RESOURCE_LIMIT = "RESOURCE_LIMIT"
    UNSUPPORTED_FORMAT = "UNSUPPORTED_FORMAT"
    SETTINGS_INVALID = "SETTINGS_INVALID"
    INTERNAL_ERROR = "INTERNAL_ERROR"


class Problem(BaseModel):
    """What happened, where, and what to do about it."""

    model_config = ConfigDict(frozen=True)

    code: Code
    message: str
    hint: str
    details: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    input_snapshot: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    recoverable: bool = False
    text_id: str
    """Names the catalogue's texts: a recorded problem can be shown in either language."""
    params: dict[str, str | int | float | bool | None] = Field(
        default_factory=dict[str, "str | int | float | bool | None"]
    )

    def in_language(self, language: Language) -> Self:
        if not has_text(f"{self.text_id}.message"):  # recorded by a later version of Sanbo
            return self
        return self.model_copy(update=_texts(self.text_id, language, self.params))

    def received(self) -> Self:
        """From a process of ours that knows neither our secrets nor the caller's language."""
        masked = {"params": _masked(self.params), "details": _masked(self.details)}
        return self.model_copy(update=masked).in_language(current_language())


def _texts(text_id: str, language: Language, params: Mapping[str, object]) -> dict[str, str]:
    return {
        "message": tell(f"{text_id}.message", language, **params),
        "hint": tell(f"{text_id}.hint", language, **params),
    }


def _masked(value: object) -> Any:
    """JSON with every string redacted; what JSON can't hold becomes its text."""
    return redact_value(to_jsonable_python(value, fallback=str, bytes_mode="base64"))


class SanboError(Exception):
    """Raised with the id of its texts: `InvalidInput("file_not_found", name=…)`."""

    code: ClassVar[Code] = Code.INTERNAL_ERROR
    recoverable: ClassVar[bool] = False

    def __init__(
        self,
        text_id: str,
        *,
        details: Mapping[str, object] | None = None,
        input_snapshot: Mapping[str, object] | None = None,
        recoverable: bool | None = None,
        **params: str | int | float | bool | None,
    ) -> None:
        params = _masked(params)
        self.problem = Problem(
            code=self.code,
            details=_masked(details or {}),
            input_snapshot=_masked(input_snapshot or {}),
            recoverable=self.recoverable if recoverable is None else recoverable,
            text_id=text_id,
            params=params,
            **_texts(text_id, current_language(), params),
        )
        super().__init__(f"{self.code}: {self.problem.message}")

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        """From process to process, with the problem that it is."""
        return _made_again, (type(self), str(self)), self.__dict__


def _made_again(kind: type[SanboError], text: str) -> SanboError:
    error = kind.__new__(kind)
    Exception.__init__(error, text)
    return error


class InvalidInput(SanboError):
    code = Code.INPUT_VALIDATION_FAILED
    recoverable = True


class InvalidOutput(SanboError):
    code = Code.OUTPUT_SCHEMA_MISMATCH
    recoverable = True


class MissingDependency(SanboError):
    code = Code.DEPENDENCY_NOT_FOUND


class StorageFailure(MissingDependency):
    code = Code.STORAGE_UNAVAILABLE


class StorageUnavailable(StorageFailure):
    """What is under way is not to blame: it is taken up again when the storage is back."""

    recoverable = True


class StorageDamaged(StorageFailure):
    pass


class ProviderFailed(SanboError):
    code = Code.API_ERROR
    recoverable = True


class TimedOut(SanboError):
    code = Code.TIMEOUT_ERROR
    recoverable = True


class PermissionDenied(SanboError):
    code = Code.PERMISSION_DENIED


class NotFound(SanboError):
    code = Code.NOT_FOUND


class Conflict(SanboError):
    code = Code.CONFLICT


class RunBusy(Conflict):
    code = Code.RUN_BUSY
    recoverable = True


class LimitExceeded(SanboError):
    code = Code.RESOURCE_LIMIT


class TooMany(LimitExceeded):
    """For now: who asks again later may be let in."""

    recoverable = True


class UnsupportedFormat(SanboError):
    code = Code.UNSUPPORTED_FORMAT


class InvalidSettings(SanboError):
    code = Code.SETTINGS_INVALID


class Unexpected(SanboError):
    code = Code.INTERNAL_ERROR
    recoverable = True
