"""The one way to a language model: choose an engine, connect, ask; every request is counted."""
