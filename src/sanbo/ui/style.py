"""The look that the theme can't say: phone spacing, Japanese words in Streamlit's own parts."""

from importlib import resources

import streamlit as st

from sanbo.kernel.messages import tell

_SHEET = (resources.files("sanbo.ui") / "assets" / "style.css").read_text("utf-8")


def draw_style() -> None:
    """Our own style sheet and our own words; nothing of a run ever comes here."""
    words = {
        "--sanbo-drop-here": tell("ui.upload.drop_here"),
        "--sanbo-browse": tell("ui.upload.browse"),
        "--sanbo-browse-folder": tell("ui.upload.browse_folder"),
    }
    variables = "".join(f'{name}: "{word}";' for name, word in words.items())
    st.html(f"<style>:root {{{variables}}}\n{_SHEET}</style>")
