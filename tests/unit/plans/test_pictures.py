"""A plan's pictures are files of its own folder, kept with the run; never an address."""

import asyncio
from pathlib import Path
from typing import Any, cast

import pytest

from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.plans.model import PlanSource, PlanText
from sanbo.plans.store import Designs
from sanbo.plans.validating.forms import find_picture, is_picture_name, picture_names
from sanbo.plans.workflow import Plans
from sanbo.runs.model import Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import load_settings

PLAN = """\
apiVersion: v1
id: asking
version: 1.0.0
graph:
  - id: ask
    block: ui.interactive_input
    in:
      help: {text: 全体の説明, picture: 全体.png}
      requirements:
        - {id: a, type: text, label: A, help: {picture: sub/a.jpg}}
        - {id: b, type: file, label: B, help: ただの文章}
        - {id: c, type: text, label: C}
"""


def test_only_names_of_pictures_in_the_folder_are_taken() -> None:
    for name in ("見本.png", "sub/a.JPG", "a b.jpeg"):
        assert is_picture_name(name), name
    for name in ("http://a/b.png", "//a/b.png", "/etc/a.png", "../a.png", "a/../b.png", "a.svg",
                 "C:\\a.png", "", ".png", "a.png?x"):  # fmt: skip
        assert not is_picture_name(name), name


def test_a_picture_is_found_beside_its_plan_and_nowhere_else(tmp_path: Path) -> None:
    source = PlanSource(plan=PlanText(text=PLAN, file="designs/team/asking.yaml"))
    assert picture_names(source) == {"全体.png", "sub/a.jpg"}
    folder = tmp_path / "designs"
    (folder / "team").mkdir(parents=True)
    (tmp_path / "全体.png").write_bytes(b"outside")
    designs = Designs([folder])
    with pytest.raises(NotFound):
        find_picture("全体.png", source, designs)
    (folder / "team" / "全体.png").symlink_to(tmp_path / "全体.png")
    with pytest.raises(NotFound):
        find_picture("全体.png", source, designs)
    (folder / "全体.png").write_bytes(b"inside")
    assert find_picture("全体.png", source, designs).read_bytes() == b"inside"
    with pytest.raises(InvalidInput):
        find_picture("../全体.png", source, designs)


STRANGE = PLAN.replace("全体.png", f"{{file_id: {'0' * 64}, name: a.png, size: 1}}").replace(
    "sub/a.jpg", "a.jpg"
)


def test_a_plan_shows_its_own_pictures_and_no_other_file(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "w", {"SANBO_LLM__PROVIDER": "rules"})
    designs = settings.workspace / "designs"
    designs.mkdir(parents=True)
    (designs / "a.jpg").write_bytes(b"picture")
    own = STRANGE.replace("全体の説明, picture", "全体の説明, other")

    async def work() -> None:
        async with open_workbench(settings, [Plans()]) as bench:
            for text, status in ((own, Status.WAITING), (STRANGE, Status.FAILED)):
                given = {"source": {"plan": {"text": text, "file": "designs/asking.yaml"}}}
                run = await bench.start(LOCAL, "plan", cast("Any", given))
                run = await bench.wait(LOCAL, run.run_id)
                assert run.status is status, run.problem
                if status is Status.WAITING:
                    [picture] = run.open_interactions[0].pictures
                    shown = await bench.artifact_bytes(LOCAL, run.run_id, picture.file_id)
                    assert shown == b"picture"
                else:
                    assert run.problem is not None
                    assert "a.png" in run.problem.message

    asyncio.run(work())
