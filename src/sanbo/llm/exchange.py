"""Requests to one model: attempts, backoff, one time limit over all, a `Call` for each attempt."""

import asyncio
import logging
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from sanbo.kernel.problems import ProviderFailed, SanboError
from sanbo.llm.engine import Call, Engine, Tariff, untraced
from sanbo.llm.failures import (
    Failure,
    check_ending,
    cut_off,
    explain,
    fell_silent,
    finish_reason,
    timed_out,
    who,
)
from sanbo.llm.settings import LlmSettings
from sanbo.llm.vendor import Pace

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.runnables import RunnableConfig

log = logging.getLogger(__name__)
R = TypeVar("R")

# No callbacks of a surrounding graph: a tracer would copy the prompts, and a listener for tokens
# would make LangChain stream a plain request.
_ALONE: "RunnableConfig" = {"callbacks": []}


_NO_STREAMS = re.compile(r"\bstream(?:ing|s)?\b", re.IGNORECASE)
_BROKEN = "malformed_reply"


@dataclass(frozen=True)
class _Request:
    messages: Sequence[BaseMessage]
    options: dict[str, Any]
    purpose: str
    deadline: float
    streams: bool = False


@dataclass
class _Attempt:
    """What is known of the request under way."""

    outcome: str = "cancelled"  # until something else is known: the caller went away
    input_tokens: int = 0
    output_tokens: int = 0
    heard: bool = False
    counted: bool = False
    served_model: str | None = None

    def count(self, message: AIMessage) -> None:
        self.heard = True
        if usage := message.usage_metadata:
            self.counted = True
            self.input_tokens += usage["input_tokens"]
            self.output_tokens += usage["output_tokens"]
        served: object = message.response_metadata.get("model_name")
        self.served_model = str(served) if served else self.served_model

    def fail(self, failure: Failure) -> None:
        self.outcome = failure.outcome
        self.input_tokens += failure.input_tokens
        self.output_tokens += failure.output_tokens


class Exchange:
    """Sends requests to one chat model."""

    def __init__(
        self,
        chat: "BaseChatModel",
        *,
        engine: Engine,
        settings: LlmSettings,
        record: Callable[[Call], None],
        pace: Pace,
    ) -> None:
        self._chat = chat
        self.engine = engine
        self.has_temperature = settings.temperature is not None
        self._max_attempts = settings.max_attempts
        self._limit_seconds = settings.timeout_seconds
        self._idle_seconds = settings.idle_seconds
        self._streams = True  # until the server shows that it does not
        self._tariff = Tariff(engine, settings.prices)
        self._record = record
        self._pace = pace

    def deadline(self) -> float:
        """The moment, on the loop's clock, by which a call that begins now has ended."""
        return asyncio.get_running_loop().time() + self._limit_seconds

    async def ask(
        self,
        messages: Sequence[BaseMessage],
        read: Callable[[AIMessage], R],
        *,
        purpose: str,
        deadline: float,
        options: dict[str, Any] | None = None,
        streams: bool = False,
    ) -> R | Failure:
        """The reply as `read` understands it; a failure only where the request was refused.

        `streams`: it is heard as it is written, so that a silent model is not taken for a slow one.
        """
        number = 1
        while True:
            heard = streams and self._streams
            request = _Request(messages, options or {}, purpose, deadline, streams=heard)
            reply = await self._attempt(request, read)
            if not isinstance(reply, Failure):
                return reply
            if heard and _NO_STREAMS.search(reply.refused_words):
                self._streams = False
                continue
            if reply.refused_words:
                return reply
            await self._wait_or_give_up(reply, number, deadline)
            number += 1

    async def stream(self, messages: Sequence[BaseMessage], *, purpose: str) -> AsyncIterator[str]:
        """Pieces of text as they come. No more attempts once the text has begun."""
        deadline = self.deadline()
        number = 1
        while True:
            said, failure = False, None
            request = _Request(messages, {}, purpose, deadline)
            async with aclosing(self._pieces(request)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Failure):
                        failure = piece
                        break
                    said = True
                    yield piece
            if failure is None:
                return
            if said and failure.retryable:  # another attempt would say the beginning twice
                raise cut_off(self.engine, failure.outcome).problem
            await self._wait_or_give_up(failure, number, deadline)
            number += 1

    async def _pieces(self, request: _Request) -> AsyncGenerator[str | Failure]:
        """One attempt: its text, and at the end the failure if it was one."""
        clock = asyncio.get_running_loop().time
        said, reason, failure, deadline = "", None, None, request.deadline
        with self._recorded(request.purpose) as attempt:
            async with aclosing(self._chunks(request)) as chunks:
                while (chunk := await self._next(chunks, deadline)) is not None:
                    if isinstance(chunk, Failure):
                        failure = chunk
                        break
                    attempt.count(chunk)
                    reason = finish_reason(chunk) or reason
                    if piece := str(chunk.text):
                        said += piece
                        handed_over = clock()
                        yield piece
                        deadline += clock() - handed_over  # the reader's time is its own
            failure = failure or self._ended(reason, said)
            if failure:
                attempt.fail(failure)
            else:
                attempt.outcome = "ok"
        if failure:
            yield failure

    def _chunks(self, request: _Request) -> AsyncGenerator[AIMessageChunk]:
        # Declared as an iterator, but a generator, which must be closed to free its connection.
        return cast(
            "AsyncGenerator[AIMessageChunk]",
            self._chat.astream(list(request.messages), config=_ALONE, **request.options),
        )

    async def _attempt(self, request: _Request, read: Callable[[AIMessage], R]) -> R | Failure:
        with self._recorded(request.purpose) as attempt:
            message = await (self._heard if request.streams else self._awaited)(request, attempt)
            if isinstance(message, Failure):
                attempt.fail(message)
                return message
            try:
                reply = read(message)
                attempt.outcome = "ok"
                return reply
            except SanboError as found:
                problem = found
                attempt.outcome = found.code
            except Exception as error:  # noqa: BLE001 - whatever an SDK raises becomes a problem
                failure = explain(error, self.engine)
                attempt.fail(failure)
                return failure
        raise problem  # here, where no exception of an SDK can be its context

    async def _awaited(self, request: _Request, attempt: _Attempt) -> AIMessage | Failure:
        limit = asyncio.timeout_at(request.deadline)
        try:
            async with limit:
                with untraced():
                    message = await self._chat.ainvoke(
                        list(request.messages), config=_ALONE, **request.options
                    )
        except Exception as error:  # noqa: BLE001 - whatever an SDK raises becomes a problem
            return self._explain(error, limit, request.deadline)
        attempt.count(message)
        return message

    async def _heard(self, request: _Request, attempt: _Attempt) -> AIMessage | Failure:
        said, reason, refusal = "", None, None
        async with aclosing(self._chunks(request)) as chunks:
            while (chunk := await self._next(chunks, request.deadline)) is not None:
                if isinstance(chunk, Failure):
                    self._streams = self._streams and (attempt.heard or chunk.outcome != _BROKEN)
                    return chunk
                attempt.count(chunk)
                said += str(chunk.text)
                reason = finish_reason(chunk) or reason
                refusal = chunk.additional_kwargs.get("refusal") or refusal
        if reason is None:
            self._streams = attempt.heard  # a whole reply, where pieces were asked for
            return cut_off(self.engine)
        metadata = {"finish_reason": reason}
        more = {"refusal": refusal}
        return AIMessage(said, response_metadata=metadata, additional_kwargs=more)

    async def _next(
        self, chunks: AsyncIterator[AIMessageChunk], deadline: float
    ) -> AIMessageChunk | Failure | None:
        # Around each piece and not the whole: between pieces, the reader's own code runs.
        silent_until = asyncio.get_running_loop().time() + self._idle_seconds
        limit = asyncio.timeout_at(min(deadline, silent_until))
        try:
            async with limit:
                with untraced():
                    return await anext(chunks, None)
        except Exception as error:  # noqa: BLE001 - whatever an SDK raises becomes a problem
            return self._explain(error, limit, deadline)

    def _explain(self, error: Exception, limit: asyncio.Timeout, deadline: float) -> Failure:
        if limit.expired():
            is_over = (limit.when() or deadline) >= deadline
            return (
                timed_out(self.engine, self._limit_seconds)
                if is_over
                else fell_silent(self.engine, self._idle_seconds)
            )
        return explain(error, self.engine)

    def _ended(self, reason: str | None, said: str) -> Failure | None:
        if reason is None:
            return cut_off(self.engine)
        try:
            check_ending(reason, self.engine)
        except SanboError as found:
            return Failure(found, outcome=found.code)
        if not said.strip():
            problem = ProviderFailed("llm_empty_reply", **who(self.engine))
            return Failure(problem, "empty_reply", retryable=True)
        return None

    async def _wait_or_give_up(self, failure: Failure, number: int, deadline: float) -> None:
        if not failure.retryable or number >= self._max_attempts:
            raise failure.problem
        delay = self._pace.delay(number, failure.retry_after)
        if asyncio.get_running_loop().time() + delay >= deadline:
            raise failure.problem  # the real reason now, rather than a timeout after a vain wait
        log.warning(
            "%s %s: %s at attempt %d of %d, next in %.1f s",
            self.engine.provider,
            self.engine.model,
            failure.outcome,
            number,
            self._max_attempts,
            delay,
        )
        await self._pace.sleep(delay)

    @contextmanager
    def _recorded(self, purpose: str) -> Generator[_Attempt]:
        attempt = _Attempt()
        started = time.monotonic()
        try:
            yield attempt
        finally:
            self._record(
                Call(
                    provider=self.engine.provider,
                    model=self.engine.model or "",
                    purpose=purpose,
                    outcome=attempt.outcome,
                    input_tokens=attempt.input_tokens,
                    output_tokens=attempt.output_tokens,
                    cost_usd=self._cost(attempt),
                    duration_ms=round((time.monotonic() - started) * 1000),
                )
            )

    def _cost(self, attempt: _Attempt) -> float | None:
        if attempt.heard and not attempt.counted:
            return None  # answered, but the server did not say, or not yet, how many tokens
        if not attempt.input_tokens and not attempt.output_tokens:
            return 0.0
        return self._tariff.cost(attempt.served_model, attempt.input_tokens, attempt.output_tokens)
