"""How the names of companies are read: 山田商事 as ヤマダショウジ."""

from functools import lru_cache

from sanbo.language.companies import company_key, company_name, folded, letters_of
from sanbo.retrieval.tokens import reading


@lru_cache(1 << 16)
def company_reading(name: str) -> str:
    """The key in katakana, as a bank writes a payer: 山田商事(株) and ｶ)ﾔﾏﾀﾞｼﾖｳｼﾞ are one."""
    bare = company_name(name)
    return letters_of(folded(reading(bare))) if bare else company_key(name)
