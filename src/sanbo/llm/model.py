"""A language model, ready to be asked: in words, as a stream, as an object, with tools.

Messages are LangChain's (`SystemMessage`, `HumanMessage`, `AIMessage`, `ToolMessage`), because they
carry what a provider wants back in the next request and LangGraph can store them.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from pydantic import BaseModel, ValidationError
from typing_extensions import override

from sanbo.kernel.problems import InvalidOutput
from sanbo.llm.engine import Call, Engine, forbid_tracing, model_and_key
from sanbo.llm.exchange import Exchange
from sanbo.llm.failures import Failure, require_text, text_of, who
from sanbo.llm.formats import (
    Form,
    InvalidToolCall,
    ToolCall,
    ToolSpec,
    ToolTurn,
    describe_errors,
    read_turn,
    refuses_form,
    refuses_limits,
    request_options,
    with_schema_in_words,
    without_fence,
)
from sanbo.llm.prompts import REPAIR
from sanbo.llm.settings import LlmSettings
from sanbo.llm.vendor import Pace

__all__ = [
    "AIMessage",
    "HumanMessage",
    "InvalidToolCall",
    "Message",
    "Mismatch",
    "Model",
    "SystemMessage",
    "ToolCall",
    "ToolMessage",
    "ToolSpec",
    "ToolTurn",
    "Wish",
    "connect",
]

Message = BaseMessage
T = TypeVar("T", bound=BaseModel)
R = TypeVar("R")

QUOTED_LIMIT = 8000
"""Characters of a bad reply that are shown to the model again."""


class Wish(NamedTuple):
    """How an object is asked for."""

    most_tokens: int | None = None
    """Of the reply."""
    temperature: float | None = None
    """Where `llm.temperature` says nothing."""
    explained: bool = False
    """The messages say what the reply looks like: its schema need not be told in words."""
    repair: bool = True
    """A reply that does not fit is asked for once more, with the reason."""


ANYHOW = Wish()


class Mismatch(InvalidOutput):
    """A reply that is not what the schema wants; asked for once more with the reason."""

    def __init__(self, engine: Engine, schema: type[BaseModel], reply: str, errors: str) -> None:
        super().__init__(
            "llm_output_mismatch",
            **who(engine),
            schema=schema.__name__,
            details={"errors": errors},
        )
        self.reply = reply
        self.errors = errors


def connect(
    engine: Engine,
    settings: LlmSettings,
    record: Callable[[Call], None],
    *,
    pace: Pace | None = None,
) -> "Model":
    """The model of this engine; `record` gets a `Call` for each request that is sent."""
    model, key = model_and_key(engine, settings)
    forbid_tracing()
    chat = engine.vendor.chat_model(model, key, settings)
    return Model(
        Exchange(chat, engine=engine, settings=settings, record=record, pace=pace or Pace())
    )


class Model:
    """One engine for one run. Every request it sends is recorded as a `Call`."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._form = Form.SCHEMA  # weakened for good when the server refuses it
        self._limits = True  # until the server refuses them: some models have their own

    @property
    def engine(self) -> Engine:
        return self._exchange.engine

    @override
    def __repr__(self) -> str:
        return f"Model({self.engine.provider}, {self.engine.model})"

    async def complete(self, messages: Sequence[Message], *, purpose: str = "") -> str:
        """The reply as text, whole and not empty."""

        def read(message: AIMessage) -> str:
            return require_text(text_of(message, self.engine), self.engine)

        deadline = self._exchange.deadline()
        return _accepted(
            await self._exchange.ask(messages, read, purpose=purpose, deadline=deadline)
        )

    def stream(self, messages: Sequence[Message], *, purpose: str = "") -> AsyncIterator[str]:
        """The reply piece by piece; a problem is raised where it breaks off before its end."""
        return self._exchange.stream(messages, purpose=purpose)

    async def structured(
        self,
        messages: Sequence[Message],
        schema: type[T],
        *,
        purpose: str = "",
        wish: Wish = ANYHOW,
    ) -> T:
        """The reply as an object of this type, with one chance to repair it."""
        deadline = self._exchange.deadline()
        try:
            return await self._object(messages, schema, purpose, deadline, wish)
        except Mismatch as mismatch:
            if not wish.repair:
                raise
            reply, errors = mismatch.reply, mismatch.errors
        repair = [
            *messages,
            AIMessage(reply[:QUOTED_LIMIT] or "{}"),
            HumanMessage(REPAIR.format(errors=errors)),
        ]
        return await self._object(repair, schema, purpose, deadline, wish)

    async def tools(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], *, purpose: str = ""
    ) -> ToolTurn:
        """One turn in which the model may call these tools; see `ToolTurn` for the next one."""

        def read(message: AIMessage) -> ToolTurn:
            text = text_of(message, self.engine)
            compatible = self.engine.openai_compatible
            turn = read_turn(message, text, tools, also_in_words=compatible)
            if not turn.calls and not turn.invalid:
                require_text(turn.text, self.engine)
            return turn

        return _accepted(
            await self._exchange.ask(
                messages,
                read,
                purpose=purpose,
                deadline=self._exchange.deadline(),
                options={"tools": [tool.as_function() for tool in tools]},
            )
        )

    async def _object(
        self,
        messages: Sequence[Message],
        schema: type[T],
        purpose: str,
        deadline: float,
        wish: Wish,
    ) -> T:
        def read(message: AIMessage) -> T:
            text = text_of(message, self.engine)
            try:
                return schema.model_validate_json(without_fence(text))
            except ValidationError as error:
                errors = describe_errors(error)
            raise Mismatch(self.engine, schema, text, errors)

        while True:
            form, limits = self._form, self._limited(wish)
            told = messages if wish.explained else None
            reply = await self._exchange.ask(
                told or with_schema_in_words(messages, form, schema, self.engine),
                read,
                purpose=purpose,
                deadline=deadline,
                options=request_options(form, schema, self.engine) | limits,
                streams=True,
            )
            if not isinstance(reply, Failure):
                return reply
            weaker = form.weaker()
            if limits and refuses_limits(reply):
                self._limits = False
            elif weaker is not None and refuses_form(reply):
                self._form = max(self._form, weaker)
            else:
                raise reply.problem

    def _limited(self, wish: Wish) -> dict[str, Any]:
        limits: dict[str, Any] = {}
        if not self._limits:
            return limits
        if wish.most_tokens is not None:
            compatible = self.engine.openai_compatible
            limits |= self.engine.vendor.length_limit(wish.most_tokens, compatible)
        if wish.temperature is not None and not self._exchange.has_temperature:
            limits["temperature"] = wish.temperature
        return limits


def _accepted(reply: R | Failure) -> R:
    if isinstance(reply, Failure):
        raise reply.problem
    return reply
