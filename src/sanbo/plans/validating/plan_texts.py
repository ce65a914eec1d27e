"""A plan's text as far as it can be read: parts whose form is wrong are passed over."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import cast

from pydantic import JsonValue, ValidationError

from sanbo.blocks.contract.yaml_tree import Marks, Place, YamlRefused, read_tree
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.plans.load import Written, load, normal_plan
from sanbo.plans.model import Finding, Plan, PlanText, Severity, finding
from sanbo.plans.references import Key

UNREADABLE = "unreadable"
"""Stands as the block of a node whose form is wrong, and as the id of a plan whose own is: nothing
more is said about them."""

_ROUNDS = 30
_ALWAYS: Written = {"apiVersion": "v1", "id": UNREADABLE, "version": "0.0.0", "graph": []}

Location = tuple[int | str, ...]


@dataclass(frozen=True)
class Readable:
    source: PlanText
    plan: Plan | None
    """None where nothing can be made of it."""
    findings: tuple[Finding, ...]
    """About its form."""
    marks: Marks
    is_whole: bool


def read_plan(source: PlanText) -> Readable:
    loaded = load(source)
    if loaded.plan is not None:
        return Readable(source, loaded.plan, loaded.findings, loaded.marks, is_whole=True)
    # Without a single mark it is no YAML, or too much of it: reading it again does not help.
    plan = _what_can_be_read(source) if loaded.marks.root else None
    return Readable(source, plan, loaded.findings, loaded.marks, is_whole=False)


def _what_can_be_read(source: PlanText) -> Plan | None:
    try:
        tree = read_tree(source.text)
    except YamlRefused:
        return None
    if not isinstance(tree.value, dict):
        return None
    written = normal_plan(tree.value)
    for _ in range(_ROUNDS):
        try:
            return Plan.model_validate(written)
        except ValidationError as error:
            for each in error.errors(include_url=False):
                _mend(written, each["loc"], is_extra=each["type"] == "extra_forbidden")
    return None


def _mend(written: Written, location: Location, *, is_extra: bool) -> None:
    """Takes away what a plan can do without; a node with something else wrong is unreadable."""
    node_at = _innermost_node(written, location)
    inside = [str(step) for step in location[_depth(location) :]]
    spare = next((at for at, step in enumerate(inside) if step in _SPARE), None)
    if node_at is not None and spare is not None and not is_extra:
        location = location[: _depth(location) + spare + 1]
        is_extra = True
    if is_extra:
        holder = _holder(written, location)
        if holder is not None and holder.pop(str(location[-1]), None) is not None:
            return
    if node_at is not None:
        nodes, position = node_at
        nodes[position] = _unreadable(nodes[position], position)
        return
    key = str(location[0]) if location else ""
    if key in _ALWAYS:
        written[key] = _ALWAYS[key]
    else:
        written.pop(key, None)


_SPARE = frozenset(
    {"policy", "when", "title", "description", "after", "max_concurrency", "max_iterations"}
)
"""Keys of a node without which the rest of it means the same."""


def _depth(location: Location) -> int:
    """Where the innermost node of a place ends: its position in a graph."""
    ends = [
        at + 1
        for at in range(1, len(location))
        if location[at - 1] == "graph" and isinstance(location[at], int)
    ]
    return ends[-1] if ends else 0


def _innermost_node(written: Written, location: Location) -> tuple[list[JsonValue], int] | None:
    found: tuple[list[JsonValue], int] | None = None
    for part, step, is_node in _way(written, location):
        if is_node and isinstance(part, list) and isinstance(step, int):
            found = (part, step)
    return found


def _holder(written: Written, location: Location) -> Written | None:
    for part, step, _ in _way(written, location):
        if isinstance(part, dict) and step is location[-1] and str(step) in part:
            return part
    return None


def _way(written: Written, location: Location) -> Iterator[tuple[JsonValue, int | str, bool]]:
    """Each part with the step taken in it, and whether that leads to a node."""
    part: JsonValue = written
    before: int | str = ""
    is_kind = False  # pydantic puts the kind of a node after its position
    for step in location:
        if is_kind:
            is_kind = False
            continue
        is_node = before == "graph" and isinstance(step, int)
        below = _below(part, step)
        yield part, step, is_node
        if below is not None:
            part, before, is_kind = below, step, is_node


def _below(part: JsonValue, step: int | str) -> JsonValue:
    """None where the step is the name of an alternative, which the file does not have."""
    if isinstance(part, dict):
        return part.get(str(step))
    if isinstance(part, list) and isinstance(step, int) and step < len(part):
        return part[step]
    return None


def _unreadable(node: JsonValue, position: int) -> JsonValue:
    stub: Written = {"type": "block", "block": UNREADABLE, "id": f"unreadable_{position}"}
    if isinstance(node, dict) and node.get("block") != UNREADABLE:
        name = cast("Written", node).get("id")
        if isinstance(name, str):
            stub["id"] = name
    return stub


MOST_NAMES = 12
LONGEST = 100


def suggestion(name: object, known: Iterable[str]) -> str:
    """A sentence for a hint: the name that was probably meant, or all there are, or none."""
    names = list(dict.fromkeys(known))
    if near := nearest(str(name), names):
        return tell("plan_findings.suggest.near", nearest=near[0])
    if not names:
        return tell("plan_findings.suggest.none")
    shown = ", ".join(shortened(each) for each in names[:MOST_NAMES])
    return tell(
        "plan_findings.suggest.known", known=shown + (" …" if len(names) > MOST_NAMES else "")
    )


def shortened(text: object, limit: int = LONGEST) -> str:
    """For messages: no finding is longer than a screen because a plan is odd."""
    written = str(text)
    return written if len(written) <= limit else written[: limit - 1] + "…"


YamlPath = tuple[Key, ...]
"""From the top of the text, as it is written there: `("graph", 0, "in", "workbook")`."""


@dataclass
class Notes:
    file: str
    marks: Marks
    text: str = ""
    """The plan's own, to find places inside of values."""
    found: list[Finding] = field(default_factory=list[Finding])

    def error(self, code: str, at: YamlPath, node: str = "", **params: object) -> None:
        self._note(code, "error", self.marks.at(*at), node, params)

    def error_inside(
        self, code: str, at: YamlPath, position: int, node: str = "", **params: object
    ) -> None:
        """At a character of a text that is a value in the plan."""
        self._note(code, "error", self._place_inside(at, position), node, params)

    def warn(self, code: str, at: YamlPath, node: str = "", **params: object) -> None:
        self._note(code, "warning", self.marks.at(*at), node, params)

    def _place_inside(self, at: YamlPath, position: int) -> Place:
        """Of the value itself where it is written on several lines, or with escapes."""
        line, column = self.marks.value_at(*at)
        lines = self.text.splitlines()
        written = lines[line - 1][column - 1 :] if line <= len(lines) else ""
        opening = len(written) - len(written.lstrip("\"'")) and 1
        if written[:1] in ("", "|", ">") or "\\" in written or position >= len(written):
            return line, column
        return line, column + opening + position

    def _note(
        self, code: str, severity: Severity, place: Place, node: str, params: dict[str, object]
    ) -> None:
        found = finding(
            code,
            severity=severity,
            node=node,
            file=self.file,
            at=place,
            params={name: shortened(value, 400) for name, value in params.items()},
        )
        # A hint may begin or end with a suggestion that is not there.
        self.found.append(found.model_copy(update={"hint": found.hint.strip()}))
