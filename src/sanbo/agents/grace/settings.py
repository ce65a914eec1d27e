"""The settings of GRACE: `config/grace_config.yml` and `GRACE_…`, or `grace` in `sanbo.yaml`."""

import math
from pathlib import Path
from typing import Literal, cast
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator, model_validator

from sanbo.kernel.problems import InvalidSettings
from sanbo.kernel.settings import OwnPlace, Section


class GraceThresholds(Section):
    """The least confidence of each level; below `confirm`, a person is asked for information."""

    silent: float = Field(default=0.9, ge=0, le=1)
    notify: float = Field(default=0.7, ge=0, le=1)
    confirm: float = Field(default=0.4, ge=0, le=1)

    @model_validator(mode="after")
    def _in_order(self) -> "GraceThresholds":
        if not 0 < self.confirm < self.notify < self.silent:
            raise InvalidSettings(
                "grace_thresholds_unordered",
                key="grace.thresholds",
                silent=self.silent,
                notify=self.notify,
                confirm=self.confirm,
            )
        return self


class GraceWeights(Section):
    """What each factor counts in the weighted score; only their proportions matter."""

    search_quality: float = Field(default=0.5, ge=0)
    coverage: float = Field(default=0.3, ge=0)
    source_agreement: float = Field(default=0.2, ge=0)
    support: float = Field(default=0.0, ge=0)
    """The share of the answer's sentences whose citations hold."""
    self_evaluation: float = Field(default=0.0, ge=0)
    """What the model thinks of its own answer; without a model the factor is left out."""

    @property
    def total(self) -> float:
        return sum(cast("float", weight) for _, weight in self)


class GraceReasoningWeights(GraceWeights):
    search_quality: float = Field(default=0.25, ge=0)
    coverage: float = Field(default=0.1, ge=0)
    source_agreement: float = Field(default=0.15, ge=0)
    support: float = Field(default=0.25, ge=0)
    self_evaluation: float = Field(default=0.25, ge=0)


class GracePenalties(Section):
    """What is taken off a score for what must not be."""

    no_hits: float = Field(default=0.6, ge=0, le=1)
    tool_failure: float = Field(default=0.3, ge=0, le=1)
    unsupported: float = Field(default=0.5, ge=0, le=1)
    """Where all of the answer's sentences have no support; less where only some have none."""
    contradiction: float = Field(default=0.25, ge=0, le=1)


class GraceLimits(Section):
    max_replans: int = Field(default=3, ge=0, le=10)
    max_steps: int = Field(default=12, ge=2, le=50)
    hits_per_search: int = Field(default=10, ge=1, le=50)
    step_seconds: float = Field(default=120, gt=0)
    passage_tokens: int = Field(default=6000, ge=500, le=200_000)
    """What a model is given to read for an answer, at most."""
    agent_turns: int = Field(default=4, ge=1, le=20)
    """How often `run_legacy_agent` may search."""


PLACE = OwnPlace(Path("config") / "grace_config.yml", "GRACE_")


class GraceSettings(Section):
    own_place = PLACE

    model: str | None = None
    """Instead of `llm.model`, for GRACE alone."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """Instead of `llm.temperature`."""
    default_collection: str | None = None
    """Where a question names no collection."""
    collections: tuple[str, ...] = ()
    """Those that plans may use; empty: all."""
    score: Literal["calibrated", "weighted"] = "calibrated"
    """`weighted`: the fixed weights below, where nothing was measured on the documents at hand."""
    most_wrong_silent: float | None = Field(default=None, gt=0, lt=0.5)
    """Sets `thresholds.silent` by risk: at most this share of silent answers is wrong."""
    adjust_thresholds: bool = True
    """Whether feedback moves the thresholds, within `most_adjustment`."""
    most_adjustment: float = Field(default=0.05, ge=0, le=0.3)
    refit_labels: int = Field(default=200, ge=20)
    """So many judged answers are needed before the score is fitted anew."""
    thresholds: GraceThresholds = GraceThresholds()
    search_weights: GraceWeights = GraceWeights()
    reasoning_weights: GraceReasoningWeights = GraceReasoningWeights()
    penalties: GracePenalties = GracePenalties()
    limits: GraceLimits = GraceLimits()
    web_search_url: str | None = None
    """A SearXNG server; without it there is no web search, and no step can call one."""
    web_search_api_key: SecretStr | None = None

    @field_validator("search_weights", "reasoning_weights")
    @classmethod
    def _count_something(cls, weights: GraceWeights, info: ValidationInfo) -> GraceWeights:
        if not 0 < weights.total < math.inf:
            raise InvalidSettings(
                "grace_weights_sum", key=f"grace.{info.field_name}", total=weights.total
            )
        return weights

    @field_validator("web_search_url")
    @classmethod
    def _is_an_address(cls, url: str | None) -> str | None:
        if url is None:
            return None
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidSettings("grace_web_address", key="grace.web_search_url")
        return url
