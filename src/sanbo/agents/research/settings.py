"""How far research searches, and how long it may take."""

from typing import Literal

from pydantic import Field

from sanbo.kernel.settings import Section


class ResearchSettings(Section):
    max_cycles: int = Field(default=3, ge=1, le=10)
    """How often is searched at most, before the report is written with what there is."""
    relevance_threshold: float = Field(default=0.7, gt=0, lt=1)
    """The probability of answering the question from which on a passage counts as an answer."""
    min_docs_count: int = Field(default=5, ge=1, le=50)
    """How many passages must be found at least before the search counts as sufficient."""
    report_style: Literal["markdown", "text"] = "markdown"
    """`text`: without Markdown's marks, for mails and forms."""
    queries_per_cycle: int = Field(default=5, ge=1, le=20)
    hits_per_query: int = Field(default=10, ge=1, le=50)
    passage_tokens: int = Field(default=6000, ge=500, le=200_000)
    """What a model is given to read for its answer, at most."""
    decide_seconds: float = Field(default=60, gt=0)
    """The limit of deciding whether the search suffices; then the report is written."""
    answer_seconds: float = Field(default=300, gt=0)
    """The limit of writing the report; then it is made of the passages found."""
