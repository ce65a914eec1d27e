"""What is refused before a run exists."""

import json

import pytest

from sanbo.agents.research.workflow import LONGEST_QUESTION, ResearchInput
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import InvalidInput
from sanbo.service.inputs import check_input


@pytest.mark.parametrize("blank", [" ", "　\n", "？！", "\x00\x07", "…"])
def test_a_question_that_says_nothing_is_refused_with_what_to_do(blank: str) -> None:
    with use_language("ja"), pytest.raises(InvalidInput) as refused:
        ResearchInput(question=blank, collection="規程")
    assert refused.value.problem.message == "質問が入力されていません。"
    assert refused.value.problem.hint


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"collection": "規程"}, "question"),
        ({"question": "", "collection": "規程"}, "question"),
        ({"question": "手" * (LONGEST_QUESTION + 1), "collection": "規程"}, "question"),
        ({"question": "手当は？"}, "collection"),
        ({"question": "手当は？", "collection": ""}, "collection"),
        ({"question": "手当は？", "collection": "名" * 101}, "collection"),
        ({"question": "手当は？", "collection": "規程", "colection": "x"}, "colection"),
    ],
)
def test_input_that_does_not_fit_names_the_field(given: dict[str, str], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_input("research", ResearchInput, given)
    assert f'"{field}"' in json.dumps(refused.value.problem.details["fields"])


def test_a_question_is_taken_without_what_stands_around_it_and_without_control_characters() -> None:
    given = ResearchInput(question=" 手当は\x00いくら？\n", collection="規程")
    assert given.question == "手当は いくら？"
