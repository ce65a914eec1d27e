"""What the fork server of these tests holds: all that a process does for the first time is done.

Its children are as mortal as any process, but load no module and open no dictionary any more.
"""

import tempfile
import threading

import sqlalchemy as sa

from sanbo.retrieval.tokens import query_words
from tests.conformance import mortal_indexing as _  # noqa: F401  # its functions are called
from tests.conformance.cases import ASKING
from tests.conformance.processes import advance


def _warm_up() -> None:
    sa.create_engine("postgresql+psycopg://nowhere/none").dispose()
    query_words("秘密情報の有効期間")
    with tempfile.TemporaryDirectory(prefix="sanbo-warm-") as folder:
        for case in ASKING:
            place = f"{folder}/{case.name}"
            advance(place, {"SANBO_LLM__PROVIDER": "rules"}, case.name, f"{place}.trace", None)
    # No search engine: it has threads, and a process that is forked must have none.
    assert threading.active_count() == 1


_warm_up()
