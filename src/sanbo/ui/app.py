"""The script that Streamlit runs for every session."""

from sanbo.ui.pages import main

main()
