"""The documents of a collection: by name, with what was noticed while they were read."""

from datetime import UTC, datetime

import streamlit as st

from sanbo.kernel.markdown import literal
from sanbo.kernel.messages import tell
from sanbo.service.collections import CollectionInfo, DocumentInfo
from sanbo.ui import connection
from sanbo.ui.collections.deletion import ask_to_remove
from sanbo.ui.collections.outcomes import problem_text
from sanbo.ui.collections.wording import counted, format_name
from sanbo.ui.presentation import browser_zone, moment, size

NAMED, PAGE = "named", "page"
PAGE_SIZE = 20


def draw_documents(info: CollectionInfo) -> None:
    named = st.text_input(
        tell("ui.collections.named"),
        key=NAMED,
        bind="query-params",
        type="search",
        icon=":material/filter_list:",
        placeholder=tell("ui.collections.named_example"),
        on_change=_to_first_page,
    )
    page = _page()
    found = connection.bench().workbench.collections.documents(
        info.name,
        containing=(named or "").strip(),
        offset=(page - 1) * PAGE_SIZE,
        limit=PAGE_SIZE + 1,
    )
    if not found:
        told = "ui.collections.none_named" if named or page > 1 else "ui.collections.empty"
        st.info(tell(told), icon=":material/inbox:")
    for document in found[:PAGE_SIZE]:
        _draw_document(info.name, document)
    _draw_paging(page, more=len(found) > PAGE_SIZE)


def _draw_document(collection: str, document: DocumentInfo) -> None:
    facts = [
        format_name(document.format),
        size(document.size),
        counted("chunks", document.chunks),
        moment(document.indexed_at, browser_zone(), datetime.now(UTC)),
    ]
    if document.pages is not None:
        facts.insert(1, counted("pages", document.pages))
    with st.container(border=True, key=f"line-{document.document_id}", gap="small"):
        with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small"):
            st.markdown(
                f"**{literal(document.name)}**  \n:gray[:small[{literal(' ・ '.join(facts))}]]",
                width="stretch",
            )
            if st.button(
                tell("ui.delete.short"),
                icon=":material/delete:",
                key=f"remove:{document.document_id}",
                type="tertiary",
            ):
                ask_to_remove(collection, document.document_id, document.name)
                st.rerun()  # the page asks, not this part of it
        if document.warnings:
            label = counted("warnings", len(document.warnings))
            with st.expander(label, icon=":material/warning:"):
                told = "".join(problem_text(warning) for warning in document.warnings)
                st.html(f'<div class="sanbo-warnings">{told}</div>')


def _draw_paging(page: int, *, more: bool) -> None:
    if page == 1 and not more:
        return
    with st.container(horizontal=True, horizontal_alignment="center"):
        st.button(
            tell("ui.collections.previous"),
            icon=":material/chevron_left:",
            disabled=page == 1,
            on_click=_turn_to,
            args=(page - 1,),
        )
        st.caption(tell("ui.list.page", page=page))
        st.button(
            tell("ui.collections.next"),
            icon=":material/chevron_right:",
            icon_position="right",
            disabled=not more,
            on_click=_turn_to,
            args=(page + 1,),
        )


def _page() -> int:
    asked = st.query_params.get(PAGE, "")
    return max(1, int(asked)) if asked.isascii() and asked.isdigit() and len(asked) < 7 else 1


# ---- callbacks ----


def _turn_to(page: int) -> None:
    st.query_params[PAGE] = str(page)


def _to_first_page() -> None:
    if PAGE in st.query_params:
        del st.query_params[PAGE]
