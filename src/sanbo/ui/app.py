"""The script that Streamlit runs for every session."""

from sanbo.ui.shell import main

main()
