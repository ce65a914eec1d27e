"""The time where the reader is."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st


def browser_zone() -> tzinfo:
    name = st.context.timezone
    try:
        return ZoneInfo(name) if name else _server_zone()
    except (ZoneInfoNotFoundError, ValueError):
        return _server_zone()


def _server_zone() -> tzinfo:
    return datetime.now(UTC).astimezone().tzinfo or UTC
