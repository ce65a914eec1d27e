"""Pictures of large plans: work that grows with the plan, and that no server stands still for."""

import asyncio
import re
import resource

import pytest

from sanbo.kernel.problems import TimedOut
from sanbo.plans.drawing.pictures import Drawing, draw
from sanbo.plans.load import load
from sanbo.plans.model import Plan, PlanSource, PlanText
from sanbo.service.plan_views import DRAWN_HERE, picture
from tests.cpu_time import least_seconds, timed


def _text(count: int) -> str:
    """Each node but the first reads from the one at half its number."""
    nodes = [
        f"  - {{ id: n{number}, title: 手順{number}, block: transforms.flatten_items,"
        f' in: {{ results_list: "${{n{(number - 1) // 2}.items}}" }} }}\n'
        for number in range(1, count)
    ]
    first = "  - { id: n0, block: transforms.flatten_items, in: { results_list: [] } }\n"
    return "apiVersion: v1\nid: large\nversion: 1.0.0\ngraph:\n" + first + "".join(nodes)


def _plan(count: int) -> Plan:
    plan = load(PlanText(text=_text(count))).plan
    assert plan is not None
    return plan


def _source(count: int) -> PlanSource:
    return PlanSource(plan=PlanText(text=_text(count)))


def test_the_work_of_drawing_grows_with_the_nodes_and_not_with_their_square() -> None:
    small, large = _plan(100), _plan(400)
    assert least_seconds(lambda: draw(large)) < 12 * least_seconds(lambda: draw(small))
    assert len(draw(_plan(800))) < 3 * len(draw(large))


def test_a_picture_that_leaves_lines_out_says_so() -> None:
    assert "省いて" not in picture(_source(DRAWN_HERE)).decode()
    told = re.search(r"線を(\d+)本省いて", picture(_source(1500)).decode())
    assert told is not None
    assert 0 < int(told[1]) < 1500


@pytest.mark.parametrize(("kind", "count"), [("svg", 1500), ("png", 40)])
def test_the_loop_goes_on_while_a_picture_is_drawn(kind: str, count: int) -> None:
    """The drawing itself costs this process next to nothing."""
    source = _source(count)
    load(source.plan)
    assert kind in ("svg", "png")

    def measured() -> tuple[bytes, float]:
        """By this thread's clock: the process has servers of other tests in it."""
        return timed(lambda: picture(source, kind="png" if kind == "png" else "svg"))

    async def drawn() -> tuple[tuple[bytes, float], int]:
        beats = 0
        drawing = asyncio.create_task(asyncio.to_thread(measured))
        while not drawing.done():
            await asyncio.sleep(0.01)
            beats += 1
        return await drawing, beats

    theirs = _of_children()
    (made, mine), beats = asyncio.run(drawn())
    theirs = _of_children() - theirs
    assert made.startswith(b"\x89PNG" if kind == "png" else b"<svg")
    assert mine < theirs
    assert beats > 10


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_a_picture_that_takes_too_long_is_given_up() -> None:
    drawing = Drawing("png", _plan(40), {}, None, "ja", "down", "light")
    with pytest.raises(TimedOut) as slow:
        drawing.drawn_apart(seconds=0.01)
    assert slow.value.problem.text_id == "plan_picture_slow"
