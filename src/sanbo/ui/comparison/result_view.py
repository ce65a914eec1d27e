"""A finished comparison: what it came to, both documents side by side, and earlier ones."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Literal

import streamlit as st

from sanbo.agents.comparison.model import Flag, Kind
from sanbo.agents.comparison.outputs.names import OutputFormat
from sanbo.kernel.markdown import document, literal, paragraphs
from sanbo.kernel.messages import current_language, tell
from sanbo.runs.model import Run, Status
from sanbo.service.catalog import COMPARISON
from sanbo.service.comparison import Overview, file_name, overview_of
from sanbo.ui import connection
from sanbo.ui.addresses import link_to_comparison, link_to_run
from sanbo.ui.artifacts import MadeFiles
from sanbo.ui.comparison import place
from sanbo.ui.comparison.collection_pair import between, names_of
from sanbo.ui.conversations import own_runs
from sanbo.ui.presentation import browser_zone, duration, engine_of, look_of, moment, usage_of

Colour = Literal["red", "orange", "blue", "green", "gray", "violet"]
_KINDS: dict[Kind, Colour] = {
    "changed": "orange",
    "added": "green",
    "deleted": "red",
    "moved": "blue",
    "moved_changed": "blue",
    "renumbered": "gray",
    "split": "violet",
    "merged": "violet",
    "unchanged": "gray",
}
_FLAGS: tuple[Flag, ...] = (
    "amount",
    "deadline",
    "date",
    "negation",
    "obligation",
    "party",
    "reference",
    "doubtful",
    "notation",
)


def draw_outcome(overview: Overview) -> None:
    summary = overview.summary
    told = document(summary.text_md)
    if outcome_is(overview, "identical"):
        st.success(told, icon=":material/check_circle:")
    elif outcome_is(overview, "unrelated"):
        st.warning(told, icon=":material/link_off:")
    else:
        st.markdown(told)
    for pair in overview.pairs:
        for warning in pair.warnings:
            problem = warning.in_language(current_language())
            st.warning(paragraphs(f"{problem.message}\n{problem.hint}"), icon=":material/warning:")
    _draw_pills("kinds", kind_pills(summary.counts))
    _draw_pills("flags", flag_pills(summary.flags))


def outcome_is(overview: Overview, outcome: Literal["identical", "unrelated"]) -> bool:
    """Of every pair: then this is what there is to say."""
    return bool(overview.pairs) and all(pair.outcome == outcome for pair in overview.pairs)


def kind_pills(counts: Mapping[Kind, int], *, without: Collection[Kind] = ()) -> str:
    return " ".join(
        _pill(tell(f"comparison_outputs.kind.{kind}"), count, colour)
        for kind, colour in _KINDS.items()
        if kind not in without and (count := counts.get(kind, 0))
    )


def flag_pills(flags: Mapping[Flag, int]) -> str:
    return " ".join(
        _pill(tell(f"comparison_outputs.flag.{flag}"), count, "red")
        for flag in _FLAGS
        if (count := flags.get(flag, 0))
    )


def _pill(word: str, count: int, colour: Colour) -> str:
    text = tell("ui.comparison.count", word=word, count=f"{count:,}")
    return f":{colour}-badge[{literal(text)}]"


def _draw_pills(title: str, pills: str) -> None:
    if pills:
        heading = literal(tell(f"ui.comparison.{title}"))
        st.markdown(f":gray[:small[{heading}]] &ensp; {pills}")


VIEW_HEIGHT = 760


DOWNLOADS: dict[OutputFormat, str] = {
    "docx": ":material/description:",
    "xlsx": ":material/table_view:",
    "html": ":material/vertical_split:",
    "markdown": ":material/article:",
    "json": ":material/data_object:",
}
"""With their icons, what an office takes along first."""


def draw_result(run: Run, overview: Overview) -> None:
    st.markdown(f":material/compare: **{literal(between(names_of(run, overview)))}**")
    draw_outcome(overview)
    files = MadeFiles(run)
    _draw_downloads(run, files)
    _draw_view(run, files)
    _draw_foot(run)


def _draw_view(run: Run, files: MadeFiles) -> None:
    if file_name(run, "html") not in files:
        st.warning(literal(tell("ui.comparison.view.gone")), icon=":material/memory:")
        return
    # From its own address, under a policy of its own that takes all rights from it: see
    # `sanbo.api.comparison`. Streamlit's frame alone would give it ours.
    address = f"/api/v1/comparison/{run.run_id}/view"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(tell("ui.comparison.view.title"), anchor=False, width="stretch")
        st.link_button(
            tell("ui.comparison.view.larger"),
            address,
            icon=":material/open_in_new:",
            type="tertiary",
        )
    with st.container(key="comparison-view"):
        st.iframe(address, height=VIEW_HEIGHT, alt=tell("ui.comparison.view.title"))


def _draw_downloads(run: Run, files: MadeFiles) -> None:
    """Before the view: whoever scrolls over that scrolls the documents in it."""
    with st.container(horizontal=True, gap="xsmall", key="comparison-downloads"):
        for output, icon in DOWNLOADS.items():
            label = tell(f"ui.comparison.download.{output}")
            files.draw_download(file_name(run, output), label, icon=icon, type="secondary")


def _draw_foot(run: Run) -> None:
    engine = engine_of(run.engine)
    took = (run.updated_at - run.created_at).total_seconds()
    facts = [f":material/memory: {literal(engine)}", f":material/timer: {literal(duration(took))}"]
    if usage := usage_of(run):
        facts.append(f":material/toll: {literal(usage)}")
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.button(
            tell("ui.comparison.again"),
            icon=":material/replay:",
            key=f"again:{run.run_id}",
            on_click=place.compare_again,
            args=(run.run_id,),
        )
        link_to_run(run.run_id, tell("ui.comparison.trail"), ":material/receipt_long:")
        st.caption(" &ensp; ".join(facts), width="content")


SHOWN = 5
LONGEST = 100


def draw_recent() -> None:
    runs = recent_runs()
    if not runs:
        return
    st.subheader(tell("ui.comparison.recent.title"), anchor=False)
    now = datetime.now(UTC)
    for run in runs:
        overview = overview_of(run)
        with st.container(border=True, gap=None):
            name = between(names_of(run, overview))
            shown = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
            link_to_comparison(run.run_id, f"**{literal(shown)}**", ":material/compare:")
            when = literal(moment(run.created_at, browser_zone(), now))
            st.markdown(f":gray[:small[{when}]] &ensp; {_came_to(run, overview)}")


def recent_runs() -> list[Run]:
    bench = connection.bench()
    listed = own_runs(COMPARISON, 4 * SHOWN)[:SHOWN]
    return [bench.call(bench.workbench.get(connection.caller(), one.run_id)) for one in listed]


def _came_to(run: Run, overview: Overview | None) -> str:
    if run.status is not Status.SUCCEEDED or overview is None:
        look = look_of(run.status)
        return f":{look.colour}-badge[{literal(look.word)}]"
    if outcome_is(overview, "identical"):
        return f":green-badge[{literal(tell('ui.comparison.recent.none_changed'))}]"
    return kind_pills(overview.summary.counts, without=("unchanged",))
