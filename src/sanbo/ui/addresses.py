"""Where each page is: built once a session, so that pages can link to each other."""

from typing import NamedTuple

import streamlit as st
from streamlit.navigation.page import Page

from sanbo.kernel.messages import tell
from sanbo.ui import connection

RUN_PARAMETER = "run"
WORKFLOW_PARAMETER = "workflow"
COLLECTION_PARAMETER = "collection"
CONVERSATION_PARAMETER = "conversation"
PLAN_PARAMETER = "plan"
_MATTERS = (RUN_PARAMETER, COLLECTION_PARAMETER, CONVERSATION_PARAMETER, PLAN_PARAMETER)
_KEY, _MATTER = "addresses", "address_matter"


class Addresses(NamedTuple):
    runs: Page
    analysis: Page
    comparison: Page
    research: Page
    grace: Page
    calibration: Page
    plans: Page
    new_run: Page
    run: Page
    collections: Page
    collection: Page
    status: Page


def announce(addresses: Addresses) -> None:
    st.session_state[_KEY] = addresses


def addresses() -> Addresses:
    return st.session_state[_KEY]


def open_run(run_id: str) -> None:
    st.switch_page(addresses().run, query_params={RUN_PARAMETER: run_id, **_language()})


def open_list() -> None:
    st.switch_page(addresses().runs, query_params=_language())


def open_new_run() -> None:
    st.switch_page(addresses().new_run, query_params=_language())


def open_analysis(conversation_id: str = "") -> None:
    query = {CONVERSATION_PARAMETER: conversation_id} if conversation_id else {}
    st.switch_page(addresses().analysis, query_params={**query, **_language()})


def link_to_conversation(conversation_id: str, label: str, icon: str | None = None) -> None:
    query = {CONVERSATION_PARAMETER: conversation_id, **_language()}
    st.page_link(addresses().analysis, label=label, icon=icon, query_params=query)


def open_comparison() -> None:
    st.switch_page(addresses().comparison, query_params=_language())


def link_to_comparison(run_id: str, label: str, icon: str | None = None) -> None:
    query = {RUN_PARAMETER: run_id, **_language()}
    st.page_link(addresses().comparison, label=label, icon=icon, query_params=query)


def open_research() -> None:
    st.switch_page(addresses().research, query_params=_language())


def link_to_research(run_id: str, label: str, icon: str | None = None) -> None:
    query = {RUN_PARAMETER: run_id, **_language()}
    st.page_link(addresses().research, label=label, icon=icon, query_params=query)


def open_grace() -> None:
    st.switch_page(addresses().grace, query_params=_language())


def link_to_grace(conversation_id: str, label: str, icon: str | None = None) -> None:
    query = {CONVERSATION_PARAMETER: conversation_id, **_language()}
    st.page_link(addresses().grace, label=label, icon=icon, query_params=query)


def link_to_calibration(label: str, icon: str | None = None) -> None:
    st.page_link(addresses().calibration, label=label, icon=icon, query_params=_language())


def open_plans() -> None:
    st.switch_page(addresses().plans, query_params=_language())


def link_to_plan(plan_id: str, label: str, icon: str | None = None) -> None:
    query = {PLAN_PARAMETER: plan_id, **_language()}
    st.page_link(addresses().plans, label=label, icon=icon, query_params=query)


def link_to_plan_run(run_id: str, label: str, icon: str | None = None) -> None:
    query = {RUN_PARAMETER: run_id, **_language()}
    st.page_link(addresses().plans, label=label, icon=icon, query_params=query)


def open_collections() -> None:
    st.switch_page(addresses().collections, query_params=_language())


def open_collection(name: str) -> None:
    query = {COLLECTION_PARAMETER: name, **_language()}
    st.switch_page(addresses().collection, query_params=query)


def link_to_collections(label: str = "", icon: str = ":material/arrow_back:") -> None:
    label = label or tell("ui.collections.back")
    st.page_link(addresses().collections, label=label, icon=icon, query_params=_language())


def link_to_collection(name: str, label: str, icon: str | None = None) -> None:
    query = {COLLECTION_PARAMETER: name, **_language()}
    st.page_link(addresses().collection, label=label, icon=icon, query_params=query)


def link_to_run(run_id: str, label: str, icon: str | None = None) -> None:
    query = {RUN_PARAMETER: run_id, **_language()}
    st.page_link(addresses().run, label=label, icon=icon, query_params=query)


def keep_address() -> None:
    """A link from a page to another matter on it changes what is shown, but not the address bar.

    So the new matter is told to the browser. What else changes is the business of its widget.
    """
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    matter = {name: query.get(name) for name in _MATTERS}
    if st.session_state.get(_MATTER, matter) != matter:
        st.query_params.from_dict(query)
    st.session_state[_MATTER] = matter


def _language() -> dict[str, str]:
    """Kept in every address, so that it can be passed on."""
    chosen = connection.language()
    return {} if chosen == connection.bench().workbench.settings.language else {"lang": chosen}
