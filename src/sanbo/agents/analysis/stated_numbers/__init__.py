"""The check of figures: a report states no number that its tables do not contain.

A number may be stated rounded, in 万, 億 or millions, and as a percentage where it is a share. What
would have to be computed first, a difference or a ratio that no table holds, is refused.
"""

from sanbo.agents.analysis.stated_numbers.grounds import Grounds, grounds_of, table_grounds
from sanbo.agents.analysis.stated_numbers.mentions import mentions

__all__ = ["Grounds", "grounds_of", "table_grounds", "unfounded"]


def unfounded(text: str, grounds: Grounds) -> list[str]:
    """The numbers stated without grounds, as they are spelled, each once."""
    refused = (one.spelling for one in mentions(text) if not grounds.hold(one))
    return list(dict.fromkeys(refused))
