"""The catalogue is complete in both languages, and code and catalogue name the same texts."""

import re
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sanbo.kernel.messages import LANGUAGES, catalogue, tell, use_language
from sanbo.kernel.problems import Code, Problem, SanboError

SOURCES = sorted(Path("src/sanbo").rglob("*.py"))
ERRORS = {"SanboError"} | {kind.__name__ for kind in SanboError.__subclasses__()} | {"RunBusy"}


def _placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_every_text_is_there_in_both_languages() -> None:
    for text_id, by_language in catalogue().items():
        assert set(by_language) == set(LANGUAGES), text_id
        assert all(text.strip() for text in by_language.values()), text_id


def test_both_languages_of_a_text_take_the_same_parameters() -> None:
    for text_id, by_language in catalogue().items():
        assert _placeholders(by_language["ja"]) == _placeholders(by_language["en"]), text_id


def test_japanese_texts_are_japanese() -> None:
    japanese = re.compile("[ぁ-んァ-ヶ一-龠]")
    foreign = {
        text_id
        for text_id, texts in catalogue().items()
        if re.search("[a-z]{3}", re.sub(r"\{.*?\}", "", texts["ja"]))
        and not japanese.search(texts["ja"])
        and texts["ja"] != texts["en"]  # a proper name
    }
    assert foreign == set()


def test_every_problem_has_a_message_and_a_hint() -> None:
    messages = {key.removesuffix(".message") for key in catalogue() if key.endswith(".message")}
    hints = {key.removesuffix(".hint") for key in catalogue() if key.endswith(".hint")}
    assert messages == hints


def _ids_in_code() -> Iterator[tuple[str, str]]:
    """Text ids that stand literally in calls of `tell` and of the problems' exceptions."""
    called = re.compile(rf"""\b(tell|{"|".join(ERRORS)})\(\s*["']([^"']+)["']""")
    for source in SOURCES:
        for name, text_id in called.findall(source.read_text("utf-8")):
            yield (text_id if name == "tell" else f"{text_id}.message"), str(source)


def test_every_text_that_code_names_exists() -> None:
    assert [found for found in _ids_in_code() if found[0] not in catalogue()] == []


def test_every_text_is_named_somewhere() -> None:
    """Literally, or as the variable end of a family such as `answer.{name}`."""
    code = "\n".join(source.read_text("utf-8") for source in SOURCES)
    named = set(re.findall(r"""(?<=["'])[\w.\-]+(?=["'])""", code))
    families = set(re.findall(r"""(?<=["'])[\w.\-]+(?=\.\{)""", code))
    unused = [
        text_id
        for text_id in (key.removesuffix(".message").removesuffix(".hint") for key in catalogue())
        if text_id not in named and families.isdisjoint(_families_of(text_id))
    ]
    assert unused == []


def _families_of(text_id: str) -> list[str]:
    parts = text_id.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def test_only_the_files_that_have_the_texts_asked_for_are_read() -> None:
    asked = (
        "import yaml; from sanbo.kernel.messages import tell; read = []; load = yaml.load;"
        "yaml.load = lambda *given: read.append(load(*given)) or read[-1];"
        "tell('run_not_found.hint'), tell('run_busy.hint'); print(len(read))"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


def test_every_key_at_the_top_of_a_file_is_a_family_that_is_found() -> None:
    written = {
        family
        for file in (*Path("src/sanbo").rglob("texts.yaml"), *Path("src/sanbo").rglob("texts/*"))
        for family in yaml.safe_load(file.read_bytes())
    }
    assert written == {text_id.partition(".")[0] for text_id in catalogue()}


def test_a_text_speaks_the_current_language_or_the_one_asked_for() -> None:
    with use_language("en"):
        assert tell("none") == "none"
        assert tell("none", "ja") == "なし"
    assert tell("none") == "なし"


def test_a_recorded_problem_can_be_shown_in_the_other_language() -> None:
    with use_language("ja"):
        problem = SanboError("run_not_found", run_id="run_1").problem
    stored = Problem.model_validate_json(problem.model_dump_json())
    assert stored.in_language("en").message == "There is no run run_1."
    assert stored.in_language("ja") == problem


def test_every_code_is_documented() -> None:
    reference = Path("docs/reference/problems.md").read_text("utf-8")
    assert [code for code in Code if f"`{code}`" not in reference] == []


@pytest.mark.parametrize("hostile", ["{0}", "{text_id}", "{}", "{x.__class__}", "%s", "}{"])
def test_what_a_person_typed_is_never_read_as_a_template(hostile: str) -> None:
    problem = SanboError("run_not_found", run_id=hostile).problem
    assert hostile in problem.message
