"""The words of a comparison: chunks, how they correspond, and the changes a person reads."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sanbo.documents.model import Position
from sanbo.kernel.problems import Problem

Kind = Literal[
    "unchanged",
    "changed",
    "added",
    "deleted",
    "moved",
    "moved_changed",
    "renumbered",
    "split",
    "merged",
]

Flag = Literal[
    "amount",  # money, shares, quantities
    "date",
    "deadline",
    "negation",
    "obligation",
    "party",  # another one has the right or the duty
    "liability",  # who answers for damage, and how far
    "law",  # the law that governs, the court or who else decides
    "termination",
    "data",  # people's data and secrets: what, where, to whom
    "reference",  # an article is referred to that is not where the old one went
    "doubtful",  # a person should look
    "notation",  # width, case, punctuation alone
    "furniture",  # the day of the last update, the version, page numbers alone
]

ATTENTION: tuple[Flag, ...] = (
    "party",
    "negation",
    "liability",
    "law",
    "data",
    "amount",
    "obligation",
    "termination",
    "deadline",
    "date",
    "reference",
    "doubtful",
)
"""What is put first, in this order: whose rights, risks and money, then by when.

`notation` and `furniture` are not worth anybody's attention."""

DecidedBy = Literal["rules", "model"]
Outcome = Literal["identical", "related", "unrelated", "only_old", "only_new"]
"""What became of a pair of documents as a whole."""


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Chunk(Frozen):
    """A paragraph, a heading or a row: what is compared as one."""

    id: str
    """`A12` of the old document, `B12` of the new; of a table, the value of its id column."""
    text: str
    """As it stands in the document: `Side.text[position.start:position.end]`."""
    key: str
    """What it says, in matching form: without its own number, numbers of articles masked."""
    kind: Literal["heading", "paragraph", "row", "metadata"] = "paragraph"
    label: str = ""
    """Its whole number as a person would cite it, `第三条第二項第一号`, `2.a`; may be empty."""
    parent: str | None = None
    """Id of the chunk it stands under: an item's paragraph, a paragraph's heading."""
    position: Position


class Side(Frozen):
    """One document as it is compared. Its chunks are in order and cover all but white space."""

    name: str
    format: str
    text: str
    chunks: tuple[Chunk, ...]
    pages: int | None = None
    keyed: bool = False
    """Rows of a table whose ids a person has named as such."""
    warnings: tuple[Problem, ...] = ()


class Link(Frozen):
    """These correspond: one to one, one to several (split), several to one (merged)."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    confidence: float = Field(ge=0, le=1)
    decided_by: DecidedBy = "rules"


class Candidate(Frozen):
    id: str
    score: float


class Doubt(Frozen):
    """An old chunk about which the aligner is not sure: a model or a person should look."""

    old: str
    reason: Literal["low_margin", "unmatched", "split", "merged"]
    candidates: tuple[Candidate, ...]
    """The best new chunks, best first, at most ten."""


class Alignment(Frozen):
    links: tuple[Link, ...]
    """Each id in at most one; an id in none was deleted or added."""
    doubts: tuple[Doubt, ...]
    unlinked: dict[str, float]
    """How sure it is that what stands in no link has no counterpart, by id."""
    similarity: float
    """Share of both texts that has a counterpart, by characters; near 0 for unrelated ones."""


class Pair(Frozen):
    """Two documents that are compared; of a folder also one alone."""

    old: Side | None
    new: Side | None
    alignment: Alignment


class Decision(Frozen):
    """What was decided about one old chunk by whoever was asked."""

    old: str
    new: tuple[str, ...] = ()
    """Ids of the new chunks that correspond; none: it was deleted."""
    explanation: str = ""
    confidence: float = 0.0
    problem: Problem | None = None
    """Why nothing was decided; what the aligner says then stands, and is shown as doubtful."""
    tools: tuple[str, ...] = ()
    """The tools that were called, in order."""


class Piece(Frozen):
    """A stretch of an inline difference; all `old` joined are the old text, all `new` the new."""

    op: Literal["equal", "delete", "insert", "replace"]
    old: str
    new: str
    """Of `equal` the same but for white space."""


class FlagDetail(Frozen):
    flag: Flag
    old: str
    new: str
    """The words that changed: `100万円` → `120万円`; empty where there is none."""


class Place(Frozen):
    """Where a chunk of a change stands."""

    id: str
    label: str
    start: int
    end: int
    page: int | None = None
    sheet: str | None = None
    row: int | None = None
    headings: tuple[str, ...] = ()


class Change(Frozen):
    kind: Kind
    old: tuple[str, ...]
    new: tuple[str, ...]
    old_text: str
    """Several chunks' texts are joined by line breaks; `old_places` tells which is which."""
    new_text: str
    diff: tuple[Piece, ...]
    """Empty where one side is, or where both are the same."""
    flags: tuple[Flag, ...]
    flag_details: tuple[FlagDetail, ...]
    explanation: str
    confidence: float
    decided_by: DecidedBy
    pair: int = 0
    """Which of `ComparisonResult.pairs`."""
    order: int
    """Its place when read in the order of the documents; `changes` puts what matters first."""
    old_places: tuple[Place, ...]
    new_places: tuple[Place, ...]
    problem: Problem | None = None

    @property
    def needs_attention(self) -> bool:
        return any(flag in ATTENTION for flag in self.flags)


class ComparedDocument(Frozen):
    name: str
    format: str
    chunks: int
    characters: int
    pages: int | None = None


class ComparedPair(Frozen):
    old: ComparedDocument | None
    new: ComparedDocument | None
    similarity: float
    outcome: Outcome
    warnings: tuple[Problem, ...] = ()


class Summary(Frozen):
    text_md: str
    """A few sentences: what was compared, what changed, what to look at first."""
    counts: dict[Kind, int]
    """Every kind, also those of which there are none."""
    flags: dict[Flag, int]
    attention: int
    """Changes that carry a flag worth a person's attention."""
    doubtful_sent: int
    """Chunks that were put to the model."""
    chunks: int
    """Of the old documents."""


class ComparisonResult(Frozen):
    changes: tuple[Change, ...]
    """What needs attention first; then in the order of the documents."""
    summary: Summary
    table_md: str
    pairs: tuple[ComparedPair, ...]
