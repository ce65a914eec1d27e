"""Who thinks from now on, chosen while the server runs: kept in memory, and nowhere else."""

import asyncio
import time

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from sanbo.kernel.problems import InvalidInput, PermissionDenied, Problem, SanboError
from sanbo.kernel.secrets import protect
from sanbo.llm.engine import RULES, Engine, choose_engine
from sanbo.llm.settings import LlmSettings
from sanbo.llm.vendors import VENDORS
from sanbo.service.access import Caller
from sanbo.service.workbench import Workbench

AUTO = "auto"
TEST_SECONDS = 30
TEST_ATTEMPTS = 1
TEST_MESSAGE = "Reply with the single word: ok"


class _Shown(BaseModel):
    model_config = ConfigDict(frozen=True)


class VendorChoice(_Shown):
    name: str
    title: str
    default_model: str
    needs_address: bool
    takes_address: bool
    """Others' servers speak its protocol: their address may be given."""
    address: str
    has_key: bool
    """Never what it is."""


class EngineReport(_Shown):
    provider: str
    """As chosen: `auto`, `rules`, or one of the vendors."""
    model: str
    engine: Engine | None
    """Who would think in a run that starts now."""
    problem: Problem | None
    """Why nobody would."""
    vendors: tuple[VendorChoice, ...]
    may_change: bool


class EngineChoice(BaseModel):
    """What is left out stays as it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: str = Field(max_length=50)
    model: str = Field(default="", max_length=200)
    address: str = Field(default="", max_length=500)
    key: SecretStr | None = Field(default=None, max_length=1000)


class EngineTest(_Shown):
    engine: Engine | None
    works: bool
    duration_ms: int
    problem: Problem | None


def engine_report(bench: Workbench, caller: Caller) -> EngineReport:
    llm = bench.settings.llm
    engine, problem = _chosen(llm)
    return EngineReport(
        provider=llm.provider,
        model=llm.model or "",
        engine=engine,
        problem=problem,
        vendors=tuple(
            VendorChoice(
                name=vendor.name,
                title=vendor.title,
                default_model=vendor.default_model or "",
                needs_address=vendor.needs_address,
                takes_address=vendor.needs_address or vendor.has_lookalikes,
                address=(vendor.address_of(llm) or "") if caller.is_local else "",
                has_key=vendor.key_of(llm) is not None,
            )
            for vendor in sorted(VENDORS.values(), key=lambda each: each.order)
        ),
        may_change=caller.is_local,
    )


def choose(bench: Workbench, caller: Caller, choice: EngineChoice) -> EngineReport:
    """For runs that start from now on, until this process ends."""
    llm = _settings(bench, caller, choice)
    choose_engine(llm)
    bench.think_with(llm)
    return engine_report(bench, caller)


async def try_choice(bench: Workbench, caller: Caller, choice: EngineChoice) -> EngineTest:
    """One small question to the model; nothing is chosen."""
    llm = _settings(bench, caller, choice)
    engine, problem = _chosen(llm)
    if engine is None or engine == RULES:
        return EngineTest(engine=engine, works=engine is not None, duration_ms=0, problem=problem)
    quick = llm.model_copy(update={"timeout_seconds": TEST_SECONDS, "max_attempts": TEST_ATTEMPTS})
    began = time.monotonic()
    try:
        await asyncio.wait_for(_ask(engine, quick), TEST_SECONDS + 1)
    except SanboError as refusal:
        problem = refusal.problem
    took = round(1000 * (time.monotonic() - began))
    return EngineTest(engine=engine, works=problem is None, duration_ms=took, problem=problem)


async def _ask(engine: Engine, llm: LlmSettings) -> None:
    # Here: with it come LangChain and the provider's SDK.
    from sanbo.llm.model import HumanMessage, connect  # noqa: PLC0415

    model = await asyncio.to_thread(connect, engine, llm, lambda _call: None)
    await model.complete([HumanMessage(TEST_MESSAGE)], purpose="test")


def _chosen(llm: LlmSettings) -> tuple[Engine | None, Problem | None]:
    try:
        return choose_engine(llm), None
    except SanboError as refusal:
        return None, refusal.problem


def _settings(bench: Workbench, caller: Caller, choice: EngineChoice) -> LlmSettings:
    if not caller.is_local:
        raise PermissionDenied("engine_choice_refused")
    known = (AUTO, RULES.provider, *VENDORS)
    if choice.provider not in known:
        raise InvalidInput("engine_unknown", provider=choice.provider, known=", ".join(known))
    given: dict[str, object] = {"provider": choice.provider, "model": choice.model.strip() or None}
    if vendor := VENDORS.get(choice.provider):
        key = choice.key.get_secret_value().strip() if choice.key else ""
        if key:
            protect(key)
            given[vendor.key] = SecretStr(key)
        if vendor.needs_address or vendor.has_lookalikes:
            given[vendor.address] = choice.address.strip() or None
    return bench.settings.llm.model_copy(update=given)
