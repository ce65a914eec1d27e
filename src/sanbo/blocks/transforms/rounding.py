"""Numbers rounded as offices do: 四捨五入 unless told otherwise."""

import decimal
from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

Rounding = Literal["half_up", "half_even", "down", "up", "floor", "ceil"]

_MODES: Mapping[Rounding, str] = {
    "half_up": decimal.ROUND_HALF_UP,
    "half_even": decimal.ROUND_HALF_EVEN,
    "down": decimal.ROUND_DOWN,
    "up": decimal.ROUND_UP,
    "floor": decimal.ROUND_FLOOR,
    "ceil": decimal.ROUND_CEILING,
}
_EXACT = decimal.Context(prec=400)


def rounded(number: int | float, decimals: int = 0, rounding: Rounding = "half_up") -> int | float:
    """By the digits that are written: 2.675 to two decimals is 2.68. Below 0, tens and hundreds."""
    step = Decimal(1).scaleb(-decimals)
    found = Decimal(repr(number)).quantize(step, rounding=_MODES[rounding], context=_EXACT)
    return int(found) if decimals <= 0 else float(found)
