"""Fits GRACE's confidence from questions with known answers, and tells how well it holds.

    python benchmarks/fit_confidence.py --data ../shared/data/qa [--questions 2000] [--keep]

Every question is asked twice of a collection of all paragraphs: as it is, and as if its paragraph
had never been there; one in four also in other words, as GRACE does after a low score. So half of
the questions have no answer in the collection, or only by chance: the score is true for such a
mixture. Where people mostly ask what the documents do answer, it says less than is true; feedback
corrects that.

1. That an answer is right: logistic regression on whether the top answer holds an accepted span.
   No score is above 0.95: on articles that were not fitted on, the surest answers are right in 95
   or 96 of 100 however sure they are, on those fitted on in 98. What is wrong there the features
   can't see: the sentence says it all again, but names the answer elsewhere.
2. That a search found the answer: the same on whether the most relevant passage holds one.

Fitted on JaQuAD-train (without articles that JSQuAD or JaQuAD-dev have, too) and on the articles of
one part of JSQuAD, both alike. Held out: the articles of the other part, and JaQuAD-dev. The
passages' relevance was fitted before (`fit_relevance.py`) on JaQuAD-train and on half of JSQuAD's
paragraphs, of all its articles; only JaQuAD-dev is unseen by both. Which features there are was
chosen with an eye on JSQuAD's fitting articles and, in the end, on both held-out sets: they are
somewhat better than what a third set would give.

Answers out of clauses, list items and rows have their own line, fitted on the development half of
`office/` and on JSQuAD's fitting articles (those say what it means that all words are there): words
tell less there, and a third of those questions has no answer.

What a model's own evaluation counts beside the words (`MODEL`) is set, not fitted: there are only
some twenty answers of one strong reader to office questions (`live_office.py`), eleven with a
finding, all of which were right where their words alone gave 0.18 to 0.79. It is set lower than
those would have it: an answer that the model is sure of and whose words say little is shown with a
note (0.8), and only where both agree without (0.9); a model that doubts itself is not believed.

Measured and left out, for held-out answers were told apart no better: the best other passage's
relevance, whether another document has the same figure or another one, the sentence's length, its
words that are new, the question's words that are missing, questions that offer a choice.

Without `--keep` nothing is written; with it, `coefficients.json` of the package is written anew.
"""

import argparse
import random
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from grace_data import (
    answered,
    in_other_words,
    is_right,
    labels_of,
    logistic,
    of_articles,
    search,
)
from office_corpus import judged, unmet
from office_data import LANGUAGES, Half, as_read, collection_of, has_all, questions, squeezed
from qa_data import Asked, QuestionSet, build, document_id, load

import sanbo.agents.grace.confidence as package
from sanbo.agents.grace.confidence import (
    Fitted,
    Label,
    Origin,
    auroc,
    brier,
    expected_calibration_error,
    reliability,
)
from sanbo.agents.grace.confidence.features import FEATURES, searched, statistics_of
from sanbo.agents.grace.confidence.model import Line, chance
from sanbo.agents.grace.settings import GraceThresholds
from sanbo.evidence.rules.queries import by_terms, different, understood, wordings
from sanbo.kernel.messages import set_language

MODEL = Line(weights={"words": 0.45, "self_evaluation": 0.75}, intercept=-0.4)
VERSION = "2"
MOST = 0.95
OFFICE_RIDGE = 0.01
"""For 235 questions: by cross-validation over their documents."""
LONG = 24
QUERIES = 3
"""As a plan has them for a question of one part."""
AGAIN = 4
"""One question in so many is also asked in other words."""


class Row(NamedTuple):
    found: dict[str, float]
    searched: dict[str, float]
    right: bool
    holds: bool
    """The most relevant passage has an accepted span."""
    removed: bool
    again: bool


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=2_000, help="to fit on, of each set")
    parser.add_argument("--held-out", type=int, default=1_000, help="to judge by, of each set")
    parser.add_argument("--keep", action="store_true", help="write the package's coefficients")
    arguments = parser.parse_args()
    train = load(arguments.data, "jaquad-train")
    jsquad = load(arguments.data, "jsquad")
    dev = load(arguments.data, "jaquad-dev")
    others = {paragraph.title for each in (jsquad, dev) for paragraph in each.paragraphs}
    own = [each for each in train.asked if train.paragraphs[each.number].title not in others]
    many, held = arguments.questions, arguments.held_out
    rows = [
        _rows(train, _drawn(own, many)),
        _rows(jsquad, _drawn(of_articles(jsquad, for_fitting=True), many)),
    ]
    fitted = _fitted(rows, [_unmet_rows(language) for language in LANGUAGES])
    print(", ".join(f"{name} {weight:+.3f}" for name, weight in fitted.weights.items()))
    judged = {
        "jsquad, other articles": _rows(
            jsquad, _drawn(of_articles(jsquad, for_fitting=False), held)
        ),
        "jaquad-dev": _rows(dev, _drawn(dev.asked, held)),
        **{f"office, {language}": _office_rows(language, "held-out") for language in LANGUAGES},
    }
    figures = {name: _judge(name, rows, fitted) for name, rows in judged.items()}
    origin = fitted.origin.model_copy(update={"held_out": figures})
    fitted = fitted.model_copy(update={"origin": origin})
    if arguments.keep:
        path = Path(str(package.__file__)).parent / "coefficients.json"
        path.write_text(fitted.model_dump_json(indent=1) + "\n", "utf-8")
        print(f"\nwritten: {path.name}, version {fitted.version}")


def _drawn(asked: Sequence[Asked], many: int) -> list[Asked]:
    return random.Random(11).sample(asked, min(many, len(asked)))


# ---- what is learnt from ---------------------------------------------------------------------


def _rows(questions: QuestionSet, drawn: Sequence[Asked]) -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        library, collection = build(Path(folder), questions.paragraphs)
        for at, asked in enumerate(drawn):
            for removed in (False, True):
                for again in (False, True) if at % AGAIN == 0 else (False,):
                    queries = in_other_words(asked.question) if again else (asked.question,)
                    gone = document_id(asked.number) if removed else ""
                    passages = search(collection, asked.question, queries, without=gone)
                    answer = answered(asked.question, passages)
                    if answer is None:
                        continue
                    best = max(passages, key=lambda passage: passage.relevance)
                    rows.append(
                        Row(
                            found=answer.found.by_name(),
                            searched=searched(statistics_of(asked.question, passages)),
                            right=is_right(asked, answer.text),
                            holds=is_right(asked, best.text),
                            removed=removed,
                            again=again,
                        )
                    )
        library.close()
    return rows


def _unmet_rows(language: Literal["ja", "en"]) -> list[Row]:
    """Right is what tells a place that answers; what has no answer counts as removed."""
    rows: list[Row] = []
    for one in unmet(language):
        passages = judged(one)
        answer = answered(one.question, passages)
        if answer is None:
            continue
        best = max(passages, key=lambda passage: passage.relevance)
        told = squeezed(" ".join(answer.judged.sentences))
        golden = dict(zip((each.chunk_id for each in one.passages), one.golden, strict=True))
        wanted = [squeezed(as_read(quote)) for quote in one.quotes]
        rows.append(
            Row(
                found=answer.found.by_name(),
                searched=searched(statistics_of(one.question, passages)),
                right=bool(wanted) and any(_tells(told, each) for each in wanted),
                holds=bool(golden.get(best.chunk_id)),
                removed=not wanted,
                again=False,
            )
        )
    return rows


def _tells(told: str, wanted: str) -> bool:
    """A quote of several sentences counts where its beginning or its end is told."""
    return wanted in told or (
        len(wanted) > LONG and (wanted[:LONG] in told or wanted[-LONG:] in told)
    )


def _office_rows(language: Literal["ja", "en"], half: Half) -> list[Row]:
    """Right is what has all facts; what has no answer in the documents counts as removed."""
    rows: list[Row] = []
    set_language(language)
    with collection_of(language) as (_, collection):
        for asked in questions(language, half):
            question = understood(asked.question, asked.before)
            put = (question, by_terms(question), *wordings(question))
            passages = search(collection, question, different(put, (), QUERIES))
            answer = answered(question, passages)
            if answer is None:
                continue
            best = max(passages, key=lambda passage: passage.relevance)
            told = " ".join(answer.judged.sentences)
            rows.append(
                Row(
                    found=answer.found.by_name(),
                    searched=searched(statistics_of(question, passages)),
                    right=bool(asked.answers) and has_all(told, asked.answers),
                    holds=asked.stands_in(best.document, best.text),
                    removed=not asked.answers,
                    again=False,
                )
            )
    return rows


# ---- fitting ---------------------------------------------------------------------------------


def _line(sets: Sequence[Sequence[Row]], ridge: float) -> Line:
    """Every question set counts the same."""
    rows = [row for each in sets for row in each]
    counts = np.concatenate([np.full(len(each), 1 / len(each)) for each in sets])
    names = [name for name in FEATURES if name != "clauses"]
    table = np.array([[row.found[name] for name in names] for row in rows])
    fit = logistic(table, [row.right for row in rows], counts, ridge)
    return Line(weights=_by_name(names, fit.weights), intercept=round(fit.intercept, 4))


def _fitted(sets: Sequence[Sequence[Row]], office: Sequence[Sequence[Row]]) -> Fitted:
    """Every question set counts the same."""
    rows = [row for each in sets for row in each]
    counts = np.concatenate([np.full(len(each), 1 / len(each)) for each in sets])
    table = np.array([[row.found[name] for name in FEATURES] for row in rows])
    answers = logistic(table, [row.right for row in rows], counts)
    names = list(rows[0].searched)
    searches = logistic(
        np.array([[row.searched[name] for name in names] for row in rows]),
        [row.holds for row in rows],
        counts,
    )
    means = counts @ table / counts.sum()
    return Fitted(
        version=VERSION,
        weights=_by_name(FEATURES, answers.weights),
        intercept=round(answers.intercept, 4),
        most=MOST,
        typical=_by_name(FEATURES, means),
        clauses=_line([*office, sets[-1]], OFFICE_RIDGE),
        model=MODEL,
        search=Line(
            weights=_by_name(names, searches.weights), intercept=round(searches.intercept, 4)
        ),
        origin=Origin(
            made_on=date.today().isoformat(),
            data="JaQuAD-train and JSQuAD-valid, the articles of one part",
            how="benchmarks/fit_confidence.py: logistic regression on whether the top answer holds"
            " an accepted span; every question with its paragraph and without it",
            questions=sum(not row.removed and not row.again for row in rows),
            answerable=0.5,
        ),
    )


def _by_name(names: Sequence[str], values: Sequence[float] | np.ndarray) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in zip(names, values, strict=True)}


# ---- judging ---------------------------------------------------------------------------------


def _judge(name: str, rows: Sequence[Row], fitted: Fitted) -> dict[str, float]:
    rows = [row for row in rows if not row.again]
    labels = labels_of([chance(row.found, fitted) for row in rows], [row.right for row in rows])
    there = [row.right for row in rows if not row.removed]
    print(f"\n{name}: {len(rows):,} answers, right where the paragraph is there: {_share(there)}")
    print("  score       answers   mean score   right")
    for each in reliability(labels):
        print(
            f"  {each.low:.1f} - {each.high:.1f}  {each.answers:8,}   {each.said:10.3f}"
            f"   {each.true:5.3f}"
        )
    silent = [label.good for label in labels if label.score >= GraceThresholds().silent]
    figures = {
        "auroc": auroc(labels) or 0.0,
        "ece": expected_calibration_error(labels) or 0.0,
        "brier": brier(labels) or 0.0,
        "silent": len(silent) / len(labels),
        "right among silent": sum(silent) / len(silent) if silent else 0.0,
    }
    strict = _without_removed(rows, labels)
    figures["auroc, removed never right"] = auroc(strict) or 0.0
    figures["ece, removed never right"] = expected_calibration_error(strict) or 0.0
    print("  " + ", ".join(f"{figure} {value:.4f}" for figure, value in figures.items()))
    return {figure: round(value, 4) for figure, value in figures.items()}


def _without_removed(rows: Sequence[Row], labels: Sequence[Label]) -> list[Label]:
    """As if no answer could be right whose paragraph was removed."""
    return [
        label.model_copy(update={"good": label.good and not row.removed})
        for row, label in zip(rows, labels, strict=True)
    ]


def _share(flags: Sequence[bool]) -> str:
    return f"{sum(flags) / len(flags):.1%}" if flags else "-"


if __name__ == "__main__":
    main()
