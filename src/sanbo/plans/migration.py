"""Earlier plans' questions as forms: `ui.file_uploader.*`, `ui.text_input.*`, `ui.confirmation`
and `ui.placeholder` become `ui.interactive_input`, neighbours one form.

The text is changed where it must be and nowhere else: what is not touched stays byte for byte.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, cast

import yaml
from pydantic import BaseModel, ConfigDict, JsonValue

from sanbo.blocks.ui.former_fields import FORMER_FIELDS
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.former_questions import (
    CONFIRMATION,
    PLACEHOLDER,
    FormerQuestion,
    ValuePlace,
    field_ids,
    form_id,
    parts_of,
    place_in_form,
    questions_together,
    requirements_of,
)
from sanbo.plans.load import load
from sanbo.plans.model import BlockNode, Graph, LoopNode, PlanText
from sanbo.plans.references import Computed, Key, Reference, can_be_key, rewritten
from sanbo.plans.yaml_page import Page, composed, entry, flow, quoted, shown, span_of

FORM = "ui.interactive_input"
_FORMER = ("ui.file_uploader.", "ui.text_input", "ui.confirmation", "ui.placeholder")
Reason = Literal[
    "unknown",
    "computed",
    "whole",
    "export",
    "aliases",
    "flow",
    "options",
    "anchor",
    "value",
    "last",
]


class Left(BaseModel):
    """A node that stays as it is, and why."""

    model_config = ConfigDict(frozen=True)

    node: str
    block: str
    reason: Reason

    @property
    def sentence(self) -> str:
        why = tell(f"plan_migration.{self.reason}")
        return tell("plan_migration.left", node=self.node, block=self.block, why=why)


class Migration(BaseModel):
    model_config = ConfigDict(frozen=True)

    text: str
    forms: tuple[str, ...]
    """The ids of the new forms."""
    left: tuple[Left, ...]


def migrate(text: str) -> Migration:
    loaded = load(PlanText(text=text))
    if loaded.plan is None:
        first = loaded.findings[0]
        raise InvalidInput("plan_migration_unreadable", line=first.line, reason=first.message)
    newline = "\r\n" if "\r\n" in text else "\n"
    text = text.replace("\r\n", "\n")
    root = composed(text)
    page = _Migrating(text)
    _graph(page, root, root, loaded.plan, (), is_body=False)
    made = page.edited().replace("\n", newline)
    return Migration(text=made, forms=tuple(page.forms), left=tuple(page.left))


# ---- one graph -----------------------------------------------------------------------------


@dataclass
class _Migrating(Page):
    forms: list[str] = field(default_factory=list[str])
    left: list[Left] = field(default_factory=list[Left])


@dataclass(frozen=True)
class _Around:
    """The graph that a node stands in, as it is written and as the model has it."""

    page: _Migrating
    listed: Any
    scope: Any
    holder: Any
    graph: Graph
    is_body: bool


def _graph(
    page: _Migrating,
    holder: Any,
    scope: Any,
    graph: Graph,
    above: tuple[str, ...],
    *,
    is_body: bool,
) -> None:
    """`scope`: where its nodes can be named."""
    listed = entry(holder, "graph")
    around = _Around(page, listed, scope, holder, graph, is_body)
    places = {entry(each, "id").value: each for each in listed.value} if listed else {}
    olds: list[FormerQuestion] = []
    for node in graph.graph:
        place = places.get(node.id)
        if isinstance(node, LoopNode) and node.body.plan is not None and place is not None:
            body = entry(place, "body")
            inner = entry(body, "plan") or body
            _graph(page, inner, place, node.body.plan, (*above, node.id), is_body=True)
        if not isinstance(node, BlockNode) or not node.block.startswith(_FORMER):
            continue
        found: Reason | None = "last"
        if place is not None:
            found = _reason(FormerQuestion(node, place), around)
        if found is None:
            olds.append(FormerQuestion(node, place))
        else:
            named = "/".join((*above, node.id))
            page.left.append(Left(node=named, block=node.block, reason=found))
    _write(page, questions_together(olds, graph, list(places)), around, above)


def _write(
    page: _Migrating,
    groups: Sequence[Sequence[FormerQuestion]],
    around: _Around,
    above: tuple[str, ...],
) -> None:
    targets: dict[str, tuple[str, FormerQuestion, dict[str, str]]] = {}
    for group in groups:
        ids = field_ids(group)
        for each in group:
            targets[each.node.id] = (form_id(group), each, ids)
    if not groups:
        return
    _write_exports(around, targets)
    _write_lists(page, around.holder, targets)
    removed = [page.lines_of(each.place) for group in groups for each in group]
    for scalar in _reachable(around.scope, frozenset(targets), around.holder):
        start, end = span_of(scalar)
        if any(line[0] <= start < line[1] for line in removed):
            continue
        new = _rewritten_raw(page.text[start:end], scalar, targets)
        if new is not None:
            page.edits[start, end] = new
    for group in groups:
        _write_form(page, group, targets, above)


def _reason(old: FormerQuestion, around: _Around) -> Reason | None:  # noqa: PLR0911 - one for each
    if old.block not in (*FORMER_FIELDS, CONFIRMATION, PLACEHOLDER):
        return "unknown"
    start, end = around.page.lines_of(old.place)
    others = [around.page.lines_of(each) for each in around.listed.value if each is not old.place]
    if around.listed.flow_style or any(a < end and start < b for a, b in others):
        return "flow"
    words = around.page.text[start:end].split()
    if "<<:" in words or any(len(word) > 1 and word[0] in "&*" for word in words):
        return "anchor"
    if around.is_body and old.node.out and not around.graph.exports:
        return "aliases"
    if old.block == CONFIRMATION and old.options is None:
        return "options"
    if old.block == PLACEHOLDER and old.node.when is not None:
        return "value"
    if not all(_is_path(old, name) for name in _leaving(old, around)):
        return "export"
    return _reason_of_readers(old, around.scope, around.holder)


def _leaving(old: FormerQuestion, around: _Around) -> list[str]:
    """Its outputs that go out of the graph."""
    exports = [each.from_.split(".") for each in around.graph.exports]
    if exports or around.is_body:
        return [name for root, *names in exports if root == old.node.id for name in names[:1]]
    if old.node.out and entry(around.holder, "exports") is not None:
        return [""]  # an empty list of exports stands in the way of a new one
    return list(old.node.out.values())


def _is_path(old: FormerQuestion, name: str) -> bool:
    path = place_in_form(old, name, "", {})
    return path is not None and bool(path.keys)


def _reason_of_readers(old: FormerQuestion, scope: Any, holder: Any) -> Reason | None:
    for scalar in _reachable(scope, frozenset({old.node.id}), holder):
        for part in parts_of(scalar.value):
            if isinstance(part, Computed):
                if any(each.root == old.node.id for each in part.references):
                    return "computed"
            elif isinstance(part, Reference) and part.root == old.node.id:
                path = place_in_form(old, str(part.keys[0]), "F", {}) if part.keys else None
                if path is None:
                    return "whole"
                if not path.keys and not path.computed:
                    alone = part.text == shown(scalar.value).strip()
                    if scalar.style in ("|", ">") or not alone or len(part.keys) > 1:
                        return "value"
    return None


# ---- writing -------------------------------------------------------------------------------

Targets = Mapping[str, tuple[str, FormerQuestion, dict[str, str]]]


def _write_form(
    page: _Migrating, group: Sequence[FormerQuestion], targets: Targets, above: tuple[str, ...]
) -> None:
    ids = field_ids(group)
    first = group[0]
    requirements = [each for old in group for each in requirements_of(old, ids)]
    messages = [each.given["message"] for each in group if each.given.get("message")]
    asks = [
        each.block == PLACEHOLDER or (each.block == CONFIRMATION and not each.options)
        for each in group
    ]
    inputs: dict[str, JsonValue] = {"mode": "confirm" if any(asks) else "collect"}
    if messages:
        whole = messages[0] if len(messages) == 1 else "\n".join(str(each) for each in messages)
        inputs["message"] = whole
    if first.block == PLACEHOLDER and first.given.get("value") is not None:
        inputs["context"] = {"value": first.given["value"]}
    if requirements:
        inputs["requirements"] = cast("JsonValue", requirements)
    start, _ = page.lines_of(first.place)
    _, end = page.lines_of(group[-1].place)
    head = page.text[start : first.place.start_mark.index]
    indent = " " * len(head)
    dash = head[: head.index("-")]
    comments = [line for each in group for line in page.comments(each.place)]
    between = [
        line.strip()
        for one, other in pairwise(group)
        for line in page.text[page.lines_of(one.place)[1] : page.lines_of(other.place)[0]].split(
            "\n"
        )
        if line.strip()
    ]
    lines = [f"{dash}{line}" for line in (*comments, *between)]
    lines.append(f"{head}id: {flow(first.node.id)}")
    shown = first.node.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    for name in ("title", "description"):
        titled = next((each.node for each in group if getattr(each.node, name)), None)
        if titled is not None:
            said = dict.fromkeys(getattr(titled, name).values())
            told = next(iter(said)) if len(said) == 1 else dict(getattr(titled, name))
            lines.append(f"{indent}{name}: {flow(told)}")
    lines.append(f"{indent}block: {FORM}")
    for name in ("when", "after", "policy"):
        if name in shown:
            lines.append(f"{indent}{name}: {flow(_rewritten_value(shown[name], targets))}")
    lines.append(f"{indent}in:")
    for name, value in inputs.items():
        if name == "requirements":
            lines.append(f"{indent}  requirements:")
            lines += [
                f"{indent}    - {flow(_rewritten_value(each, targets))}" for each in requirements
            ]
        else:
            lines.append(f"{indent}  {name}: {flow(_rewritten_value(value, targets))}")
    page.edits[start, end] = "\n".join(lines)
    page.forms.append("/".join((*above, first.node.id)))


def _write_exports(around: _Around, targets: Targets) -> None:
    """Without exports, what has an alias goes out: under the same names now as before."""
    aliases = [
        (alias, node.id, alias)
        for node in around.graph.graph
        if isinstance(node, BlockNode)
        for alias in node.out.values()
    ]
    if around.is_body or around.graph.exports or not any(node in targets for _, node, _ in aliases):
        return
    lines = ["exports:"]
    for alias, node, name in aliases:
        source = f"{node}.{name}"
        if node in targets:
            source = _bare(source, targets)
        lines.append(f"  - {{from: {quoted(source)}, as: {flow(alias)}}}")
    page = around.page
    end = len(page.text)
    page.edits[end, end] = ("" if page.text.endswith("\n") else "\n") + "\n".join(lines) + "\n"


def _bare(source: str, targets: Targets) -> str:
    return _rewritten_text(f"${{{source}}}", targets)[2:-1]


def _write_lists(page: _Migrating, holder: Any, targets: Targets) -> None:
    """Nodes by name: exports, the order of forms, and who comes after whom."""
    exports = entry(holder, "exports")
    for item in exports.value if isinstance(exports, yaml.SequenceNode) else ():
        source = entry(item, "from")
        bare = shown(source.value).strip() if source is not None else ""
        if not bare.startswith("${") and bare.split(".")[0] in targets:
            page.edits[span_of(source)] = quoted(_bare(bare, targets))
    if isinstance(exports, yaml.MappingNode):
        for _, source in exports.value:
            bare = shown(source.value).strip()
            if not bare.startswith("${") and bare.split(".")[0] in targets:
                page.edits[span_of(source)] = quoted(_bare(bare, targets))
    lists = [entry(entry(holder, "ui"), "layout")]
    lists += [entry(each, "after") for each in (entry(holder, "graph") or holder).value]
    for names in lists:
        if not isinstance(names, yaml.SequenceNode):
            continue
        before = [each.value for each in names.value]
        after = list(
            dict.fromkeys(targets[name][0] if name in targets else name for name in before)
        )
        if before != after and names.value:
            span = (span_of(names.value[0])[0], span_of(names.value[-1])[1])
            sign = ", " if names.flow_style else "\n" + " " * (names.start_mark.column) + "- "
            page.edits[span] = sign.join(flow(name) for name in after)


def _reachable(scope: Any, names: frozenset[str], holder: Any) -> Iterator[Any]:
    """Every text in which one of these nodes may be read: not where a loop has its own."""
    if isinstance(scope, yaml.ScalarNode):
        yield scope
    elif isinstance(scope, yaml.SequenceNode):
        for each in scope.value:
            yield from _reachable(each, names, holder)
    elif isinstance(scope, yaml.MappingNode):
        body = entry(scope, "body")
        inner = entry(body, "plan") or body
        listed = entry(inner, "graph") if inner is not None and inner is not holder else None
        own = _ids(listed)
        if own & names:
            names = names - own
        if names:
            for _, value in scope.value:
                yield from _reachable(value, names, holder)


def _ids(listed: Any) -> set[str]:
    return {entry(each, "id").value for each in listed.value} if listed is not None else set()


def _change(targets: Targets) -> Callable[[Reference], str | None]:
    def change(reference: Reference) -> str | None:
        if reference.root not in targets or not reference.keys:
            return None
        form, old, ids = targets[reference.root]
        path = place_in_form(old, str(reference.keys[0]), form, ids)
        if path is None or (not path.keys and not path.computed):
            return None
        if path.computed:
            return path.computed
        rest = (*path.keys, *reference.keys[1:])
        if old.block == PLACEHOLDER:
            again = _written_reference(str(rest[0]), rest[1:])
            return _rewritten_text(again, targets) if rest[0] != old.node.id else again
        return _written_reference(form, rest)

    return change


def _written_reference(root: str, keys: Sequence[Key]) -> str:
    path = "".join(
        f".{key}" if isinstance(key, int) or can_be_key(key) else f"['{key}']" for key in keys
    )
    return f"${{{root}{path}}}"


def _rewritten_text(text: str, targets: Targets) -> str:
    return rewritten(text, _change(targets))


def _rewritten_value(value: JsonValue, targets: Targets) -> JsonValue:
    match value:
        case str():
            whole = _literal(value, targets)
            return _rewritten_text(value, targets) if whole is None else whole.value
        case list():
            return [_rewritten_value(item, targets) for item in value]
        case dict():
            return {key: _rewritten_value(item, targets) for key, item in value.items()}
        case _:
            return value


def _literal(text: str, targets: Targets) -> ValuePlace | None:
    """What stands in the plan itself is written where it was read."""
    parts = parts_of(text.strip())
    if len(parts) != 1 or not isinstance(part := parts[0], Reference) or len(part.keys) != 1:
        return None
    if part.root not in targets:
        return None
    form, old, ids = targets[part.root]
    path = place_in_form(old, str(part.keys[0]), form, ids)
    return path if path is not None and not path.keys and not path.computed else None


def _rewritten_raw(raw: str, scalar: Any, targets: Targets) -> str | None:
    """A scalar as it stands in the text; None where nothing in it changes."""
    whole = _literal(shown(scalar.value), targets)
    if whole is not None:
        return flow(_rewritten_value(whole.value, targets))
    new = _rewritten_text(raw, targets)
    if new == raw:
        return None
    value = _rewritten_text(shown(scalar.value), targets)
    needs_quotes = any(sign in value and sign not in shown(scalar.value) for sign in ('"', "'"))
    if scalar.style in ("|", ">") or not needs_quotes:
        return new
    return json.dumps(value, ensure_ascii=False)
