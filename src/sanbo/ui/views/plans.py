"""Plans: the list, one plan, or one of its runs; each at a lasting address."""

from sanbo.service.plans import PLAN
from sanbo.ui import connection
from sanbo.ui.boundary import guarded
from sanbo.ui.plans import place
from sanbo.ui.plans.plan_list import draw_list
from sanbo.ui.plans.plan_view import draw_plan
from sanbo.ui.plans.run_view import draw_run


@guarded
def plans_page() -> None:
    connection.bench().workbench.workflow(PLAN)  # a problem where it is not installed
    if run_id := place.run_here():
        draw_run(run_id)
    elif plan_id := place.plan_here():
        draw_plan(plan_id)
    else:
        draw_list()
