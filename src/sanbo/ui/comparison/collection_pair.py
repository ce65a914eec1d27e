"""Two documents of a collection, and how the two sides of a comparison are called."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import Run
from sanbo.service.comparison import Overview
from sanbo.ui import connection
from sanbo.ui.attachments import attached
from sanbo.ui.comparison.given import SIDES, SOURCES, Source
from sanbo.ui.fields import prepared, remember
from sanbo.ui.kept_form import KeptForm
from sanbo.ui.presentation import slot

OFFERED = 200
FEW = 10
"""So many are overlooked without a filter."""


def draw_collection_pair(form: KeptForm) -> None:
    collections = connection.bench().workbench.collections
    names = [info.name for info in collections.all() if info.documents]
    if not names:
        st.info(literal(tell("ui.comparison.collection_none")), icon=":material/inbox:")
        return
    name = _draw_collections(form, names)
    if name is None:
        return
    wanted = _draw_filter(form) if collections.info(name).documents > FEW else ""
    found = collections.documents(name, containing=wanted, limit=OFFERED + 1)
    offered = {document.document_id: document.name for document in found[:OFFERED]}
    for side, column in zip(("old", "new"), st.columns(2, gap="medium"), strict=True):
        with column:
            _draw_document(form, side, name, offered)
    with slot(filled=len(found) > OFFERED or not offered):
        if not offered:
            st.caption(literal(tell("ui.comparison.document_none")))
        elif len(found) > OFFERED:
            st.caption(literal(tell("ui.comparison.document_more", count=OFFERED)))


def _draw_collections(form: KeptForm, names: list[str]) -> str | None:
    kept = form.value("collection")
    key = prepared(form, "collection", kept if kept in names else None)
    if st.session_state[key] not in names:  # deleted since
        st.session_state[key] = None
    return st.selectbox(
        tell("ui.comparison.collection"),
        names,
        index=None,
        key=key,
        placeholder=tell("ui.comparison.collection_choose"),
        on_change=_turn_to,
        args=(form, key),
    )


def _draw_filter(form: KeptForm) -> str:
    typed = st.text_input(
        tell("ui.comparison.document_filter"),
        key=f"{form.key}::filter",
        type="search",
        icon=":material/filter_list:",
        placeholder=tell("ui.comparison.document_filter_example"),
    )
    return (typed or "").strip()


def _draw_document(form: KeptForm, side: str, collection: str, offered: dict[str, str]) -> None:
    """What was chosen stays on offer, whatever the filter says."""
    field = SIDES["collection"][side == "new"]
    chosen = str(form.value(field) or "")
    names = dict(offered)
    if chosen and chosen not in names:
        name = document_name(collection, chosen)
        if name:
            names = {chosen: name, **names}
    key = prepared(form, field, chosen if chosen in names else None)
    if st.session_state[key] not in names:
        st.session_state[key] = None
    st.selectbox(
        tell(f"ui.comparison.document_{side}"),
        list(names),
        index=None,
        key=key,
        format_func=names.__getitem__,
        placeholder=tell("ui.comparison.document_choose"),
        on_change=remember,
        args=(form, field, key),
    )


def document_name(collection: str, document_id: str) -> str:
    """Empty where it is no longer there."""
    try:
        return connection.bench().workbench.collections.document(collection, document_id).name
    except NotFound:
        return ""


def _turn_to(form: KeptForm, key: str) -> None:
    """Another collection has other documents."""
    chosen = st.session_state[key]
    form.refill({"collection": chosen or "", **dict.fromkeys(SIDES["collection"], "")})


class Names(NamedTuple):
    old: str
    new: str


def names_of(run: Run, overview: Overview | None) -> Names:
    """As the result calls them; without one, as they were given."""
    if overview is not None:
        old = [pair.old.name for pair in overview.pairs if pair.old is not None]
        new = [pair.new.name for pair in overview.pairs if pair.new is not None]
        return Names(_counted(old), _counted(new))
    return Names(*(_given(run, position) for position in (0, 1)))


def between(names: Names) -> str:
    return tell("ui.comparison.between", old=names.old, new=names.new)


def _given(run: Run, position: int) -> str:
    filled: list[Source] = [source for source in SOURCES if run.input.get(SIDES[source][position])]
    source = (*filled, *SOURCES)[0]
    value = run.input.get(SIDES[source][position])
    match source:
        case "files":
            return _counted([file.name for file in attached(value)])
        case "text":
            return tell("ui.comparison.pasted")
        case "collection":
            collection, document_id = str(run.input.get("collection") or ""), str(value or "")
            return document_name(collection, document_id) or document_id


def _counted(names: Sequence[str]) -> str:
    if not names:
        return "–"
    if len(names) == 1:
        return names[0]
    return tell("ui.comparison.others", name=names[0], count=len(names) - 1)
