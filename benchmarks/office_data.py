"""The office questions: which may be looked at, where their answers stand, what a right one has.

Questions belong to the document of their first source, a follow-up to that of what it follows, and
one without an answer to the document of those around it. `office/development.yaml` lists the
documents whose questions are for development and fitting; the others' are only reported.

`office_fitting/` has four more organisations, whose questions are all for fitting: what is chosen
by them is judged on the one that was left out. Their names begin with their language. The two of
`office_unseen/` were written when the reader of passages was there, and asked once before anybody
looked at their answers.
"""

import re
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import yaml

from sanbo.retrieval.collection import Collection
from sanbo.retrieval.library import Library
from sanbo.settings import load_settings
from sanbo.storage.database import Database

HERE = Path(__file__).parent / "office"
FITTING = Path(__file__).parent / "office_fitting"
UNSEEN = Path(__file__).parent / "office_unseen"
COLLECTION = "office"
Language = Literal["ja", "en"]
LANGUAGES: tuple[Language, ...] = ("ja", "en")
ORGANISATIONS = ("ja1", "ja2", "en1", "en2")
"""Of `office_fitting/`."""
OTHERS = ("ja3", "en3")
"""Of `office_unseen/`."""
Half = Literal["development", "held-out", "all"]


class OfficeQuestion(NamedTuple):
    id: str
    kind: str
    question: str
    before: tuple[str, ...]
    """What was asked before it in the same conversation."""
    document: str
    answers: tuple[tuple[str, ...], ...]
    """Facts, each in its accepted spellings; none where the documents have no answer."""
    quotes: tuple[tuple[str, str], ...]
    """Document and text."""
    wrong: tuple[str, ...]

    def stands_in(self, document: str, text: str) -> bool:
        """Whether a place it is answered from is in this text of a document."""
        plain = squeezed(text)
        return any(
            document.endswith(name) and as_read(quote) in plain for name, quote in self.quotes
        )


def language_of(name: str) -> Language:
    return "ja" if name.startswith("ja") else "en"


def place_of(name: str) -> Path:
    folder = FITTING if name in ORGANISATIONS else UNSEEN if name in OTHERS else HERE
    return folder / name


def questions(name: str, half: Half) -> list[OfficeQuestion]:
    """Of a language of `office/`, or of an organisation, where all are for development."""
    told = yaml.safe_load((place_of(name) / "questions.yaml").read_text("utf-8"))
    halves = yaml.safe_load((HERE / "development.yaml").read_text("utf-8"))
    seen = frozenset(halves.get(name, ()))
    found: dict[str, OfficeQuestion] = {}
    last = ""
    for each in told:
        earlier = found.get(each.get("follows", ""))
        sources = each.get("sources") or ()
        last = earlier.document if earlier else sources[0]["document"] if sources else last
        found[each["id"]] = OfficeQuestion(
            id=each["id"],
            kind=each["kind"],
            question=each["question"],
            before=(*earlier.before, earlier.question) if earlier else (),
            document=last,
            answers=tuple(tuple(map(str, fact)) for fact in each.get("answers") or ()),
            quotes=tuple((source["document"], source["quote"]) for source in sources),
            wrong=tuple(map(str, each.get("wrong") or ())),
        )
    wanted = {"development": (True,), "held-out": (False,), "all": (True, False)}[half]
    return [
        each
        for each in found.values()
        if (name in (*ORGANISATIONS, *OTHERS) or each.document in seen) in wanted
    ]


@contextmanager
def collection_of(name: str) -> Generator[tuple[Path, Collection]]:
    """All documents of a language or an organisation, in a workspace of their own."""
    with tempfile.TemporaryDirectory() as place:
        workspace = Path(place)
        command = [sys.executable, "-m", "sanbo", "--workspace", place, "index", "-c", COLLECTION]
        command.append(str(place_of(name) / "documents"))
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        settings = load_settings(workspace, {"SANBO_LLM__PROVIDER": "rules"})
        library = Library(Database.in_workspace(workspace, None), settings)
        try:
            yield workspace, library.open(COLLECTION)
        finally:
            library.close()


def has_all(text: str, facts: Sequence[Sequence[str]]) -> bool:
    plain = squeezed(text)
    return all(any(has(plain, each) for each in fact) for fact in facts)


def has(plain: str, spelling: str) -> bool:
    """Not 5 in 15, nor 2,000 in 12,000; of a squeezed text."""
    wanted = squeezed(spelling)
    before = r"(?<![0-9])" if wanted[:1].isdigit() else ""
    after = r"(?![0-9])" if wanted[-1:].isdigit() else ""
    return re.search(before + re.escape(wanted) + after, plain) is not None


def as_read(quote: str) -> str:
    """Squeezed; some are written as Markdown has them, with bars, bullets and bold."""
    return squeezed(re.sub(r"^\s*[-*] |[|]|[*][*]", "", quote))


def squeezed(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"(?<=\d),(?=\d)|\s+", "", folded)
