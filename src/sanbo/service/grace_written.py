"""An answer of GRACE as people keep it, for front ends: the workflow's own file is the same."""

from sanbo.agents.grace.answers.written import (
    Matter,
    Told,
    ToldSentence,
    ToldSource,
    filled_of,
    level_words,
    matter_of,
    told,
    told_replan,
    told_sentence,
    told_source,
    written,
)

__all__ = [
    "Matter",
    "Told",
    "ToldSentence",
    "ToldSource",
    "filled_of",
    "level_words",
    "matter_of",
    "told",
    "told_replan",
    "told_sentence",
    "told_source",
    "written",
]
