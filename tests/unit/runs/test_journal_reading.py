"""What is read back from a journal is what was written."""

from pydantic import JsonValue

from sanbo.runs.journal import LARGE, masked, payload_of
from sanbo.runs.model import NodeComplete, RunComplete, Status


def test_a_large_payload_is_read_back_as_it_was() -> None:
    rows: list[JsonValue] = [
        {"店舗": f"{n}号店", "売上": n, "比": n / 7, "大": 10**25, "無": None} for n in range(3000)
    ]
    large = (
        RunComplete(status=Status.SUCCEEDED, result={"rows": rows, "text": "あ" * 10}),
        NodeComplete(key="k", outputs={"rows": rows}, duration_ms=3),
    )
    for payload in large:
        _, text = masked(payload)
        assert len(text) > LARGE
        assert payload_of(text) == payload
