"""A server with a collection to research in."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from sanbo.agents.research.workflow import Research
from tests.unit.api.serving import Server, serving, settled, start
from tests.unit.api.workflows import WORKFLOWS

COLLECTION = "社内規程"
QUESTION = "在宅勤務手当はいくらですか"
TEXTS = {
    "在宅勤務規程.md": (
        "# 在宅勤務規程\n\n第3条 在宅勤務手当は、月額5,000円とする。\n\n"
        "第4条 在宅勤務を希望する者は、前月の20日までに所属長へ申請する。\n"
    ),
    "旅費規程.md": (
        "# 旅費規程\n\n第2条 国内出張の日当は、1日につき2,500円とする。\n\n"
        "第5条 宿泊料は、1泊につき11,000円を上限として実費を支給する。\n"
    ),
    "慶弔規程.md": (
        "# 慶弔規程\n\n第6条 結婚祝金は30,000円とする。勤続1年未満の者には支給しない。\n"
    ),
}


@contextmanager
def research_server(folder: Path, *, requires_token: bool) -> Generator[Server]:
    sources = folder / "sources"
    sources.mkdir()
    for name, text in TEXTS.items():
        (sources / name).write_text(text, "utf-8")
    workflows = (Research(), *WORKFLOWS)
    with serving(
        folder / "workspace", requires_token=requires_token, workflows=workflows
    ) as server:
        list(server.workbench.collections.index_paths(COLLECTION, [sources]))
        yield server


def researched(client: httpx.Client, question: str = QUESTION) -> dict[str, Any]:
    """A research that has ended."""
    run = start(client, "research", question=question, collection=COLLECTION)
    ended = settled(client, run["run_id"])
    assert ended["status"] == "succeeded", ended["problem"]
    return ended
