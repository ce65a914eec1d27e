"""A plan's run as people see it: its nodes, then what it exports, or where to try again."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from pydantic import JsonValue

from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import SanboError
from sanbo.plans.drawing.figure import NOT_BEGUN, Figure, Item, NodeState
from sanbo.plans.load import load
from sanbo.plans.model import PlanSource
from sanbo.plans.progress import (
    failed_node,
    figure_of_source,
    files_given_out,
    forms_before,
    source_of,
    states_of,
)
from sanbo.runs.fold import Snapshot
from sanbo.runs.model import Path, Run, Step, is_iteration, without_iterations
from sanbo.runs.parts import (
    Fact,
    Facts,
    Files,
    Graph,
    GraphEdge,
    GraphNode,
    Part,
    Parts,
    Progress,
    ProgressStep,
    Retry,
    Text,
    on_one_line,
    readable,
)
from sanbo.runs.presentation import (
    MARKDOWN_ENDING,
    present_run,
    progress_part,
    short,
    table_of,
    whole,
)

LONGEST = 200
MOST_AT_WORK = 12
MOST_FAILED = 20
SILENT = "ui.placeholder"
"""A block of forms that asks nothing."""
NOTHING: tuple[JsonValue, ...] = (None, "", [], {})


def present(seen: Snapshot, language: Language) -> Parts:
    run = seen.run
    try:
        figure = figure_of_source(source_of(run), language)
    except SanboError:  # recorded by another version of Sanbo
        return present_run(run, language)
    states = states_of(run, figure)
    parts = whole(
        run,
        language,
        () if run.result is None else _result(run, figure, language),
        progress=_progress(run, figure, states, language),
        has_files=False,
        retries=_retries(run, language),
    )
    return (*parts, graph_part(figure, states, language))


def _retries(run: Run, language: Language) -> tuple[Retry, ...]:
    """From the node that failed, and from the forms before it."""
    step = failed_node(run) if run.problem is not None else None
    if step is None:
        return ()
    forms = forms_before(run, step, language)
    return (
        Retry(path=step.path, title=step.title or step.path[-1]),
        *(Retry(path=form.path, title=form.title, is_question=True) for form in forms),
    )


# ---- its nodes -----------------------------------------------------------------------------


def _progress(
    run: Run, figure: Figure, states: Mapping[Path, NodeState], language: Language
) -> Progress:
    """Every node of the plan, also those that have not begun; what is inside stands below."""
    items = {item.path: item for item in figure.everything()}
    warned = {step.path for step in run.steps if step.warnings}
    earlier = {
        step.path: tell("plan_parts.edition", language, edition=step.edition)
        for step in run.steps
        if step.edition not in ("", run.edition)
    }
    failed, inside = _looked_into(run, items)
    steps: list[ProgressStep] = []
    for item in items.values():
        if item.path in failed:  # in which turn of its loop
            turns = failed[item.path][:MOST_FAILED]
            steps += [_turn(step, items, language) for step in turns]
        else:
            is_warned = item.path in warned
            node = _node(item, states[item.path], language, is_warned=is_warned)
            if item.path in earlier:
                detail = " ".join(filter(None, (node.detail, earlier[item.path])))
                node = node.model_copy(update={"detail": detail})
            steps.append(node)
        steps += [_turn(step, items, language) for step in inside.get(item.path, ())]
    return progress_part(steps, language)


def _looked_into(
    run: Run, items: Mapping[Path, Item]
) -> tuple[dict[Path, list[Step]], dict[Path, list[Step]]]:
    """By node: what failed in turns of a loop, and what is at work inside of its block."""
    failed: dict[Path, list[Step]] = {}
    inside: dict[Path, list[Step]] = {}
    at_work = 0
    for step in run.steps:
        path = without_iterations(step.path)
        if step.status == "failed" and path in items and path != step.path:
            if not is_iteration(step.path):
                failed.setdefault(path, []).append(step)
        elif step.status == "running" and path not in items and at_work < MOST_AT_WORK:
            node = path
            while node and node not in items:
                node = node[:-1]
            inside.setdefault(node, []).append(step)
            at_work += 1
    return failed, inside


def _node(item: Item, state: NodeState, language: Language, *, is_warned: bool) -> ProgressStep:
    counts = state.total is not None or state.done > 0
    is_skipped = state.status == "skipped"
    has_ended = state.status in ("succeeded", "failed")
    is_trying = state.status == "running" and state.note
    return ProgressStep(
        id="/".join(item.path),
        title=item.title,
        status=state.status,
        detail=tell("plan_parts.skipped", language) if is_skipped else state.note,
        done=state.done if counts else None,
        of=state.total,
        duration_ms=state.duration_ms if has_ended else None,
        depth=len(item.path) - 1,
        path=item.path,
        tone="caution" if is_warned or is_trying else "plain",
    )


def _turn(step: Step, items: Mapping[Path, Item], language: Language) -> ProgressStep:
    """Titles from the outside in; of an item, its number."""
    names: list[str] = []
    for depth in range(1, len(step.path) + 1):
        here = step.path[:depth]
        item = items.get(without_iterations(here))
        if is_iteration(here):
            names.append(str(int(here[-1][1:]) + 1))
        else:
            names.append(item.title if item else here[-1])
    if step.title and without_iterations(step.path) not in items:
        names[-1] = step.title
    return ProgressStep(
        id="/".join(step.path),
        title=" › ".join(names),
        status=step.status,
        detail=step.problem.in_language(language).message if step.problem else "",
        duration_ms=step.duration_ms,
        depth=len(without_iterations(step.path)) - 1,
        path=step.path,
    )


def graph_of(source: PlanSource, language: Language) -> Graph:
    """A plan before it runs."""
    figure = figure_of_source(source, language)
    return graph_part(
        figure, {item.path: NodeState("pending") for item in figure.everything()}, language
    )


def graph_part(figure: Figure, states: Mapping[Path, NodeState], language: Language) -> Graph:
    nodes = tuple(
        GraphNode(
            id="/".join(item.path),
            title=item.title,
            detail=item.about,
            status=states.get(item.path, NOT_BEGUN).status,
            path=item.path,
            parent="/".join(item.path[:-1]),
            is_question=item.kind == "form" and not item.about.startswith(SILENT),
        )
        for item in figure.everything()
    )
    title = tell("plan_parts.graph", language)
    return Graph(id="graph", title=title, nodes=nodes, edges=_edges(figure), is_aside=True)


@lru_cache(maxsize=16)
def _edges(figure: Figure) -> tuple[GraphEdge, ...]:
    return tuple(_edges_of(figure))


def _edges_of(figure: Figure) -> Iterator[GraphEdge]:
    for link in figure.links:
        source, target = figure.items[link.source], figure.items[link.target]
        label = target.condition if link.kind == "condition" else ""
        yield GraphEdge(source="/".join(source.path), target="/".join(target.path), label=label)
    for item in figure.items:
        if item.inside is not None:
            yield from _edges_of(item.inside)


# ---- what came out -------------------------------------------------------------------------


def _result(run: Run, figure: Figure, language: Language) -> Iterator[Part]:
    exports = (run.result or {}).get("exports")
    if isinstance(exports, dict) and exports:
        yield from _exports(exports, _export_titles(run, figure, language), language)
    else:
        nothing = tell("plan_parts.no_exports", language)
        yield Text(id="exports", markdown=nothing, is_plain=True)
    if files := files_given_out(run):
        yield Files(id="exports/files", title=tell("plan_parts.files", language), items=files)
    elif run.artifacts:
        made = tell("plan_parts.made", language, count=len(run.artifacts))
        label = tell("parts.files", language)
        yield Facts(id="exports/made", items=(Fact(label=label, value=made),))


def _export_titles(run: Run, figure: Figure, language: Language) -> dict[str, str]:
    """Of those that are called by an id: the title of the node that gives them."""
    nodes = {item.path[-1]: item.title for item in figure.items}
    plan = load(source_of(run).plan).plan
    giving = {each.as_: each.from_.partition(".")[0] for each in plan.exports} if plan else {}
    several, count = "plan_parts.one_of_several", Counter(giving.values())
    return {
        name: title if count[node] == 1 else tell(several, language, title=title, name=name)
        for name, node in giving.items()
        if (title := nodes.get(node, node)) != node and name.isascii() and name.isidentifier()
    }


def _exports(
    exports: Mapping[str, JsonValue], titles: Mapping[str, str], language: Language
) -> Iterator[Part]:
    """Files by their names, rows as tables; the run itself has all of it."""
    facts: list[Fact] = []
    others: list[Part] = []
    for name, value in exports.items():
        shown, title = readable(value), titles.get(name, name)
        if shown in NOTHING:
            facts.append(Fact(label=title, value=tell("none", language)))
        elif name.endswith(MARKDOWN_ENDING) and isinstance(shown, str):
            others.append(Text(id=f"exports/{name}", title=title, markdown=shown))
        elif (table := table_of(shown, f"exports/{name}", title)) is not None:
            others.append(table)
        elif isinstance(shown, dict):
            entries = ((key, on_one_line(entry, LONGEST)) for key, entry in shown.items())
            items = tuple(Fact(label=key, value=entry) for key, entry in entries)
            others.append(Facts(id=f"exports/{name}", title=title, items=items))
        else:
            facts.append(Fact(label=title, value=short(shown, language)))
    if facts:
        yield Facts(id="exports", items=tuple(facts))
    yield from others
