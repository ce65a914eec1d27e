"""Everyday English words, which are no slips of a column's name and rarely a value. Data only."""

from typing import Final

from sanbo.agents.analysis.rules.synonyms import words

EVERYDAY: Final = frozenset(
    words(
        "a|about|across|add|after|against|all|also|amount|an|and|any|april|are|as|"
        "asc|ascending|at|august|average|avg|axis|bar|bars|be|best|between|bin|bins|"
        "bottom|box|broken|but|by|can|categorized|chart|charts|classified|color|"
        "colored|colour|column|columns|compare|compared|correlation|correlations|"
        "count|counts|create|data|dataset|date|day|days|december|desc|descending|"
        "describe|deviation|did|different|display|distinct|distribution|do|does|down|"
        "draw|duplicates|each|every|except|excluding|february|find|first|for|"
        "forecast|from|generate|get|give|graph|greater|group|grouped|had|has|have|"
        "help|high|higher|highest|histogram|how|i|in|into|is|it|its|january|july|"
        "june|just|know|larger|largest|last|least|less|like|line|list|low|lower|"
        "lowest|make|many|march|mark|max|maximum|may|me|mean|median|min|minimum|"
        "missing|month|monthly|months|more|most|much|my|need|no|not|november|number|"
        "numbers|october|of|on|one|only|or|order|out|outliers|over|overview|"
        "partitioned|per|percent|percentage|pie|please|plot|plots|points|predict|"
        "quarter|question|ratio|record|records|relation|relationship|render|report|"
        "row|rows|scatter|scatterplot|segmented|select|separate|september|series|"
        "share|show|showing|small|smaller|sort|sorted|split|stacked|standard|"
        "statistics|sum|summary|table|than|that|the|their|them|there|these|this|"
        "those|through|time|times|to|top|total|totals|trend|under|unique|up|use|"
        "value|values|variable|vary|versus|view|visualization|visualize|vs|want|was|"
        "we|week|weekday|weekend|were|what|when|where|which|while|who|why|will|with|"
        "without|x|y|year|yearly|years|you|your"
    )
)

LONE_WORDS: Final = frozenset(words("a|an|and|as|at|by|for|from|in|is|of|on|or|the|to|with"))
"""That never name a column when they stand alone."""
