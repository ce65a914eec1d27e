"""The frame around every page: title, navigation, language, look."""

from importlib import resources

import streamlit as st

from sanbo import __version__
from sanbo.kernel.messages import LANGUAGES, Language, tell
from sanbo.ui import connection
from sanbo.ui.addresses import Addresses, announce, keep_address
from sanbo.ui.boundary import guarded
from sanbo.ui.run_actions import draw_deletion
from sanbo.ui.style import draw_style
from sanbo.ui.views.analysis import analysis_page
from sanbo.ui.views.calibration import calibration_page
from sanbo.ui.views.collections import collection_page, collections_page
from sanbo.ui.views.comparison import comparison_page
from sanbo.ui.views.grace import grace_page
from sanbo.ui.views.new_run import new_run_page
from sanbo.ui.views.plans import plans_page
from sanbo.ui.views.research import research_page
from sanbo.ui.views.run import run_page
from sanbo.ui.views.run_list import run_list_page
from sanbo.ui.views.status import status_page

_LOGO = (resources.files("sanbo.ui") / "assets" / "logo.svg").read_text("utf-8")
_NAMES: dict[Language, str] = {"ja": "日本語", "en": "English"}


def main() -> None:
    connection.settle_language()
    # No icon here: Streamlit would fetch one from an outside host; `index_page` has ours.
    st.set_page_config(page_title=tell("ui.product"), layout="wide")
    draw_style()
    _draw_frame()


@guarded
def _draw_frame() -> None:
    connection.caller()  # nobody without a token sees even the names of pages
    pages = Addresses(
        runs=st.Page(
            run_list_page, title=tell("ui.list.title"), icon=":material/list:", default=True
        ),
        analysis=st.Page(
            analysis_page,
            title=tell("ui.analysis.title"),
            icon=":material/query_stats:",
            url_path="analysis",
        ),
        comparison=st.Page(
            comparison_page,
            title=tell("ui.comparison.title"),
            icon=":material/compare:",
            url_path="comparison",
        ),
        research=st.Page(
            research_page,
            title=tell("ui.research.title"),
            icon=":material/travel_explore:",
            url_path="deep-research",
        ),
        grace=st.Page(
            grace_page,
            title=tell("ui.grace.title"),
            icon=":material/balance:",
            url_path="grace",
        ),
        calibration=st.Page(
            calibration_page,
            title=tell("ui.calibration.title"),
            icon=":material/tune:",
            url_path="calibration",
        ),
        plans=st.Page(
            plans_page,
            title=tell("ui.plans.title"),
            icon=":material/account_tree:",
            url_path="plans",
        ),
        new_run=st.Page(
            new_run_page, title=tell("ui.new.title"), icon=":material/add:", url_path="new"
        ),
        run=st.Page(run_page, title=tell("ui.run.title"), url_path="run", visibility="hidden"),
        collections=st.Page(
            collections_page,
            title=tell("ui.collections.title"),
            icon=":material/library_books:",
            url_path="collections",
        ),
        collection=st.Page(
            collection_page,
            title=tell("ui.collections.one"),
            url_path="collection",
            visibility="hidden",
        ),
        status=st.Page(
            status_page,
            title=tell("ui.about.title"),
            icon=":material/info:",
            url_path="status",
        ),
    )
    announce(pages)
    page = st.navigation(list(pages))
    keep_address()
    st.logo(_LOGO, size="large")
    _draw_language()
    draw_deletion()
    page.run()


def _draw_language() -> None:
    with st.sidebar:
        key = "language_choice"
        st.session_state[key] = connection.language()
        st.segmented_control(
            tell("ui.language"),
            list(LANGUAGES),
            format_func=lambda language: _NAMES[language],
            key=key,
            required=True,
            on_change=_switch,
            args=(key,),
        )
        st.caption(f"{tell('ui.product')} {__version__}")


def _switch(key: str) -> None:
    chosen = st.session_state[key]
    if chosen in LANGUAGES:
        connection.choose_language(chosen)
