"""Every finding that a person can meet has a plan in the corpus, or a test, that meets it."""

from sanbo.kernel.messages import catalogue
from tests.unit.plans.corpus import BROKEN, expected, plans

OF_THE_DRY_RUN = {
    "no_sample",
    "sample_lacks",
    "sample_too_short",
    "sample_misfit",
    "condition_undecided",
    "expression_undecided",
    "skipping_breaks",
    "block_unloadable",
    "sample_wrong",
    "empty_breaks",
    "not_entered_breaks",
}
ELSEWHERE = {
    "check_failed",  # tests/unit/plans/validating/test_validate.py
    "yaml_too_large",  # tests/unit/blocks/catalog/test_yaml_tree.py
    "nobody_is_user",  # tests/unit/cli/test_plan_check.py
    "nobody_is_role",
    "wrong_form",  # what no other text describes
}


def test_every_code_is_met() -> None:
    codes = {
        text_id.split(".")[1]
        for text_id in catalogue()
        if text_id.startswith("plan_findings.") and text_id.endswith(".message")
    }
    met = {each[1] for file in plans(BROKEN) for each in expected(file)}
    assert codes - met - OF_THE_DRY_RUN - ELSEWHERE == set()
    assert met <= codes
