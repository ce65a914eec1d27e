"""A plan as data: nodes, what flows between them, how failures are met, and what is found in it.

`load.py` makes it from YAML, with everything that plans in circulation may write brought to this
one form: `on_error: stop` is `halt` here, `call: null` is absent, `type` is always there.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, JsonValue, Tag
from pydantic_core import PydanticCustomError

from sanbo.blocks.spec import Text
from sanbo.kernel.messages import Language, current_language, tell
from sanbo.kernel.text import unseen_characters

Severity = Literal["error", "warning"]


class Finding(BaseModel):
    """One thing that is wrong (`error`) or odd (`warning`) in a plan."""

    model_config = ConfigDict(frozen=True)

    code: str
    """Such as `unknown_block`; its texts are `plan_findings.{code}.message` and `.hint`."""
    severity: Severity
    message: str
    hint: str
    node: str = ""
    """Path of node ids, `/` between them: `each_file/analyze_file`."""
    file: str = ""
    line: int = 0
    column: int = 0
    """From 1; 0 where the plan came without a text."""


def finding(
    code: str,
    *,
    severity: Severity = "error",
    node: str = "",
    file: str = "",
    at: tuple[int, int] = (0, 0),
    language: Language | None = None,
    params: Mapping[str, object] | None = None,
    **named: object,
) -> Finding:
    said = language or current_language()
    given = {**(params or {}), **named}
    return Finding(
        code=code,
        severity=severity,
        message=tell(f"plan_findings.{code}.message", said, **given),
        hint=tell(f"plan_findings.{code}.hint", said, **given),
        node=node,
        file=file,
        line=at[0],
        column=at[1],
    )


def is_valid(findings: Sequence[Finding]) -> bool:
    return all(each.severity != "error" for each in findings)


NODE_ID = r"^[^\s.${}\[\]/#\"']{1,100}$"
PLAN_ID = r"^[^\s/\\.][^\s/\\]*(/[^\s/\\.][^\s/\\]*){0,9}$"
"""With the folders that the plan lies in, or without them: `common/validation_flow`."""
RESERVED = frozenset({"vars", "env", "config", "run", "today", "now"})
"""Words that begin a reference and so can't be a node's id."""

Value = JsonValue
"""As written: strings in it may hold references `${…}`."""


def _seen(name: object) -> object:
    """Refuses what two names that look alike could differ in, or what acts on a terminal."""
    if isinstance(name, str) and (unseen := unseen_characters(name)):
        raise PydanticCustomError(UNSEEN, "{unseen}", {"unseen": unseen})
    return name


UNSEEN = "unseen_characters"
Seen = BeforeValidator(_seen)
Id = Annotated[str, Field(pattern=NODE_ID), Seen]
OnError = Literal["halt", "continue", "retry"]
OnWarning = Literal["continue", "halt", "ask"]
"""What becomes of a node whose outputs are there, but a person should know something of them."""
Operator = Literal["eq", "ne", "gt", "gte", "lt", "lte"]


class Part(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid", populate_by_name=True)


class Concurrency(Part):
    default_max_workers: int = Field(default=4, ge=1, le=1000)
    per_node: Mapping[str, Annotated[int, Field(ge=1, le=1000)]] = Field(
        default_factory=dict[str, int]
    )


class Backoff(Part):
    """Seconds before the first retry, and how they grow."""

    seconds: float = Field(default=1.0, ge=0, le=3600)
    factor: float = Field(default=2.0, ge=1, le=10)
    max_seconds: float = Field(default=60.0, ge=0, le=86_400)


class NodePolicy(Part):
    """One that is written takes the place of the plan's whole."""

    on_error: OnError | None = None
    on_warning: OnWarning | None = None
    retries: int | None = Field(default=None, ge=0, le=100)
    backoff: Backoff | None = None
    timeout_ms: int | None = Field(default=None, ge=1)


class Policy(Part):
    on_error: OnError = "halt"
    on_warning: OnWarning = "continue"
    retries: int = Field(default=0, ge=0, le=100)
    """With `on_error: retry`: how often a failed node is run again."""
    backoff: Backoff = Backoff()
    timeout_ms: int | None = Field(default=None, ge=1)
    """Of one attempt of one node; people are never hurried by it."""
    concurrency: Concurrency = Concurrency()


class Expression(Part):
    expr: str
    """In CEL's syntax; references stand for their values, which never become part of it."""


class Comparison(Part):
    left: Value
    op: Operator
    right: Value


def _condition_kind(condition: object) -> str:
    if isinstance(condition, Comparison):
        return "comparison"
    if isinstance(condition, dict) and {"left", "op", "right"} & condition.keys():
        return "comparison"
    return "expression"


Condition = Annotated[
    Annotated[Expression, Tag("expression")] | Annotated[Comparison, Tag("comparison")],
    Discriminator(_condition_kind),
]


class Export(Part):
    from_: str = Field(alias="from")
    """`node.key`, without `${}`; in a subflow's `out`, the name of one of its exports."""
    as_: str = Field(alias="as")


class NodeBase(Part):
    id: Id
    title: Text = Field(default_factory=dict[Language, str])
    description: Text = Field(default_factory=dict[Language, str])
    when: Condition | None = None
    after: tuple[str, ...] = ()
    """Nodes that must have ended before, though nothing of theirs is read."""
    always: bool = False
    """Of `finally`: runs after all others, also where one of them has ended the run."""
    policy: NodePolicy = NodePolicy()


class BlockNode(NodeBase):
    type: Literal["block"] = "block"
    block: str
    """`id` or `id@range`."""
    in_: Mapping[str, Value] = Field(default_factory=dict[str, Value], alias="in")
    out: Mapping[str, str] = Field(default_factory=dict[str, str])
    """Output port → the name it is read by; the port's own name works too."""


class Call(Part):
    plan_id: str
    """Of a plan in `designs/`, such as `common/validation_flow`."""
    inputs: Mapping[str, Value] = Field(default_factory=dict[str, Value])
    """Into the called plan's `vars`."""


class SubflowOut(Part):
    exports: tuple[Export, ...] = ()


class SubflowNode(NodeBase):
    type: Literal["subflow"] = "subflow"
    call: Call
    out: SubflowOut = SubflowOut()


class Body(Part):
    """What a loop does each time: a graph of its own, or another plan."""

    plan: "Graph | None" = None
    call: Call | None = None


MOST_AT_ONCE = 1000


class Foreach(Part):
    input: Value
    item_var: Id = Field(default="item", alias="itemVar")
    index_var: Id | None = Field(default=None, alias="indexVar")
    max_concurrency: int = Field(default=4, ge=1)
    """No more than `MOST_AT_ONCE`, whatever is written."""


class While(Part):
    condition: Condition | None = None
    """None: as many turns as `max_iterations` says."""
    max_iterations: int = Field(default=1, ge=1, le=100_000)
    index_var: Id | None = Field(default=None, alias="indexVar")
    on_exhausted: Literal["fail", "continue"] = "continue"
    """What it means that the condition still holds after the last iteration."""


class LoopOut(Part):
    collect: tuple[str, ...] = ()
    """Exports of the body, each then a list with one entry an iteration, under its own name; of a
    body without exports, the name of the list of what each turn gave."""


class LoopNode(NodeBase):
    type: Literal["loop"] = "loop"
    foreach: Foreach | None = None
    while_: While | None = Field(default=None, alias="while")
    body: Body
    out: LoopOut = LoopOut()


Node = Annotated[BlockNode | LoopNode | SubflowNode, Field(discriminator="type")]


class Graph(Part):
    """Nodes and what goes out of them; a loop's body is one, and a plan is one with a name."""

    id: Annotated[str, Seen] = ""
    version: str = ""
    vars: Mapping[str, Value] = Field(default_factory=dict[str, Value])
    graph: tuple[Node, ...] = ()
    exports: tuple[Export, ...] = ()
    policy: Policy | None = None
    finally_: tuple[()] = Field(default=(), alias="finally")
    """Its nodes stand behind the others in `graph`, marked `always`."""


class Ui(Part):
    layout: tuple[str, ...] = ()


class Plan(Graph):
    api_version: Literal["v1"] = Field(default="v1", alias="apiVersion")
    id: Annotated[str, Seen] = Field(max_length=200, pattern=PLAN_ID)
    version: str = Field()
    title: Text = Field(default_factory=dict[Language, str])
    description: Text = Field(default_factory=dict[Language, str])
    ui: Ui = Ui()


class PlanText(Part):
    """A plan's YAML and where it came from: what a run keeps of it."""

    text: str
    file: str = ""
    """For findings: `designs/invoice_reconciliation.yaml`."""


class PlanSource(Part):
    """A plan with all plans that it calls, as texts: a run never looks at the folder again."""

    plan: PlanText
    called: Mapping[str, PlanText] = Field(default_factory=dict[str, PlanText])
    """By plan id."""
