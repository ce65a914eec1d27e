"""Teaches the reader of passages, and fits what it counts beside the words of a passage.

    pip install torch; export OPENBLAS_NUM_THREADS=1
    python benchmarks/fit_passages.py network --data ../shared/data/qa [--teacher FOLDER] [--keep]
    python benchmarks/fit_passages.py relevance --data ../shared/data/qa [--keep]

1. The network (`evidence/reader/network.py` computes it): questions of `office_corpus/` without
   four organisations, and some of JaQuAD-train and of JSQuAD's fitting articles, of three in ten of
   which the paragraph is taken away. All sentences of a question's passages stand against each
   other and against that none answers (0). With a teacher (`passage_teacher.py`) it learns beside
   it how alike a sentence encoder thinks English questions and sentences are.
2. Relevance: logistic regression on whether a passage answers, from what its words say and from
   the network, on organisations that the network has not met, both languages alone, and Japanese
   running text (JSQuAD) alone. As in `fit_relevance.py`, nine of ten questions are taken to have an
   answer.

The figures told are of those four organisations, of those for fitting and of the development half
of `office/`.
"""

import argparse
import json
import math
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import Pool as Processes
from pathlib import Path
from typing import Any

import numpy as np
import torch  # pyrefly: ignore[missing-import]
from grace_data import logistic, of_articles
from office_corpus import CORPUS, HELD_OUT, Example, examples_of, found_for, starts_of, unmet
from qa_data import Asked, QuestionSet, build, document_id, load
from torch import Tensor, nn  # pyrefly: ignore[missing-import]
from torch.nn import functional  # pyrefly: ignore[missing-import]
from torch.optim.swa_utils import (  # pyrefly: ignore[missing-import]
    AveragedModel,
    get_ema_multi_avg_fn,
)

import sanbo.evidence.reader as package
from sanbo.evidence.reader.features import (
    ABOVE,
    ASKED,
    KINDS,
    LEVELS,
    SIGNS,
    SPREADS,
    TIES,
    Pair,
    Pool,
    text_of,
    words_of,
)
from sanbo.evidence.reader.meanings import DIMENSIONS
from sanbo.evidence.reader.network import HEADS
from sanbo.evidence.reader.reading import Line, Weights, by_words, read, signs_of

WIDTH, INNER, LAYERS, RANK = 96, 256, 2, 32
DROPOUT, UNKNOWN, MEANINGLESS = 0.15, 0.15, 0.08
PASSAGES, BATCH, AT_ONCE = 5, 16, 48
"""Of a question that are learnt from at once: where it is answered, and others that come near."""
MOST_GOLDEN = 3
RATE, DECAY, WARM_UP = 2e-3, 0.03, 150
EVERY, AVERAGED = 4, 0.99
SETTLED = 2
"""The first epochs order passages better, the last ones know better whether any answers: what is
kept is the average from this one on (of those shipped: of the second, the third and the fifth)."""
OFTEN = 4
TAUGHT = 3.0
"""What the teacher's word weighs."""
COVERED = 3
PARAGRAPHS = {"jaquad-train": 1600, "jsquad": 400}
REMOVED = 3
"""Of ten questions whose paragraph is taken away."""
RIDGE = 1e-3
ANSWERABLE = 0.9
_NEVER = -1e9
_BITS, _TIMES = 1 << 23, 50

Batch = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("network", "relevance"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--teacher", type=Path)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    folder = Path(next(iter(package.__path__)))
    if arguments.what == "relevance":
        weights = fit_relevance(arguments.data)
        if arguments.keep:
            text = weights.model_dump_json(indent=1) + "\n"
            (folder / "coefficients.json").write_text(text, "utf-8")
        return
    paths = [path for path in sorted(CORPUS.glob("*.yaml")) if path.stem not in HELD_OUT]
    with Processes() as processes:
        learnt = [one for found in processes.imap(_listed, paths) for one in found]
    learnt += paragraphs(arguments.data)
    model, words = fit(learnt, arguments.epochs, arguments.teacher)
    if arguments.keep:
        keep(model, words, folder / "weights.npz")


def _listed(path: Path) -> list[Example]:
    return list(examples_of(path))


def paragraphs(data: Path) -> list[Example]:
    train, jsquad = load(data, "jaquad-train"), load(data, "jsquad")
    others = {paragraph.title for paragraph in jsquad.paragraphs}
    own = [each for each in train.asked if train.paragraphs[each.number].title not in others]
    return [
        *_of_paragraphs(train, random.Random(5).sample(own, PARAGRAPHS[train.name])),
        *_of_paragraphs(
            jsquad,
            random.Random(5).sample(of_articles(jsquad, for_fitting=True), PARAGRAPHS["jsquad"]),
        ),
    ]


def _of_paragraphs(asked_of: QuestionSet, drawn: Sequence[Asked]) -> Iterator[Example]:
    """Other paragraphs that have the answer are neither right nor wrong."""
    with tempfile.TemporaryDirectory() as folder:
        library, collection = build(Path(folder), asked_of.paragraphs)
        for number, asked in enumerate(drawn):
            is_removed = number % 10 < REMOVED
            own = document_id(asked.number)
            gone = own if is_removed else ""
            passages = [
                each
                for each in found_for(collection, asked.question, without=gone)
                if each.document_id == own or not asked.is_answered_in(each.text)
            ]
            golden = tuple(
                starts_of(each.text, asked.answers) if each.document_id == own else frozenset[int]()
                for each in passages
            )
            quotes = () if is_removed else asked.answers
            yield Example(asked_of.name, own, asked.question, tuple(passages), golden, quotes)
        library.close()


# ---- what is learnt from ---------------------------------------------------------------------


class Question:
    def __init__(self, example: Example, taught: list[np.ndarray] | None = None) -> None:
        self.example, self.taught = example, taught
        self.texts = [text_of(each) for each in example.passages]
        odds = by_words(example.question, example.passages)
        self.pool = Pool(example.question, self.texts, odds)
        self.golden = [
            [line.start in golden for line in text.lines]
            for text, golden in zip(self.texts, example.golden, strict=True)
        ]
        self.read = [at for at, text in enumerate(self.texts) if text.lines]
        self.right = [at for at in self.read if any(self.golden[at])]
        others = (at for at in self.read if not any(self.golden[at]))
        self.others = sorted(others, key=lambda at: -odds[at])

    @property
    def is_learnt_from(self) -> bool:
        """Not where there is an answer that was not found."""
        return bool(self.right) or (bool(self.read) and not self.example.quotes)

    def drawn(self, draw: random.Random) -> list[int]:
        right = self.right[:MOST_GOLDEN]
        left = PASSAGES - len(right)
        near = self.others[: 2 * left]
        return [*right, *draw.sample(near, min(left, len(near)))]


def batch_of(pairs: Sequence[Pair], leaving_out: np.random.Generator | None) -> Batch:
    """All of one length: words of the question first, behind each pair what is empty."""
    many, words = len(pairs), max(len(one.numbers) for one in pairs)
    lines, asked = max(len(one.signs) for one in pairs), max(len(one.levels) for one in pairs)
    made: dict[str, np.ndarray] = {
        name: np.zeros((many, words), np.int64) for name in ("numbers", "kinds", "best", "spreads")
    }
    made["meanings"] = np.zeros((many, words, DIMENSIONS), np.float32)
    made["ties"] = np.full((many, words, words), TIES, np.int64)
    made["levels"] = np.zeros((many, asked, words), np.int64)
    made["signs"] = np.zeros((many, lines, SIGNS), np.float32)
    made["lines"] = np.zeros((many, lines, words), bool)
    for name in ("is_there", "asked", "above"):
        made[name] = np.zeros((many, words), bool)
    for at, one in enumerate(pairs):
        count, own = len(one.numbers), len(one.levels)
        for name in ("numbers", "kinds", "best", "spreads", "meanings"):
            made[name][at, :count] = getattr(one, name)
        made["ties"][at, :count, :count] = one.ties
        made["levels"][at, :own, own:count] = one.levels
        made["signs"][at, : len(one.signs)] = one.signs
        of_lines = np.arange(len(one.signs))[:, None] == one.places
        made["lines"][at, : len(one.signs), :count] = of_lines
        made["is_there"][at, :count] = True
        made["asked"][at, :count] = one.places == ASKED
        made["above"][at, :count] = one.places == ABOVE
        if leaving_out is not None:
            made["numbers"][at, :count][leaving_out.random(count) < UNKNOWN] = 1
            made["meanings"][at, :count][leaving_out.random(count) < MEANINGLESS] = 0
    return {name: torch.from_numpy(array) for name, array in made.items()}


# ---- the network: what it computes is in `evidence/reader/network.py` again ------------------


class Dropout(nn.Module):
    """From bits that were drawn beforehand, each time from another place."""

    def __init__(self) -> None:
        super().__init__()
        self._draw, self._left, self._bits = random.Random(1), 0, torch.empty(0)

    def forward(self, given: Tensor) -> Tensor:
        if not self.training:
            return given
        if not self._left:
            self._bits = (torch.rand(_BITS) >= DROPOUT).float() / (1 - DROPOUT)
            self._left = _TIMES
        self._left -= 1
        at = self._draw.randrange(0, _BITS - given.numel())
        return given * self._bits[at : at + given.numel()].view(given.shape)


class Bias(torch.autograd.Function):
    """Of each tie what it adds; its slope by counting, which is a fifth of the usual time."""

    @staticmethod
    def forward(context: Any, weight: Tensor, ties: Tensor) -> Tensor:
        context.save_for_backward(ties)
        context.shape = weight.shape
        found = weight.T[:, ties.view(-1)]
        return found.view(weight.shape[1], *ties.shape).transpose(0, 1)

    @staticmethod
    def backward(context: Any, *slopes: Tensor) -> tuple[Tensor, None]:
        (ties,), (kinds, heads) = context.saved_tensors, context.shape
        (slope,) = slopes
        counted = [
            torch.bincount(ties.view(-1), slope[:, head].reshape(-1), minlength=kinds)
            for head in range(heads)
        ]
        return torch.stack(counted, 1).to(slope.dtype), None


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.bias = nn.Embedding(TIES + 1, HEADS)

    def forward(self, given: Tensor, mask: Tensor, ties: Tensor) -> Tensor:
        def heads(made: Tensor) -> Tensor:
            return made.view(*made.shape[:2], HEADS, WIDTH // HEADS).transpose(1, 2)

        asked, keys, values = heads(self.q(given)), heads(self.k(given)), heads(self.v(given))
        odds = asked @ keys.transpose(-1, -2) / math.sqrt(WIDTH // HEADS)
        odds = odds + Bias.apply(self.bias.weight, ties)
        found = odds.masked_fill(~mask[:, None, None, :], _NEVER).softmax(-1) @ values
        return self.o(found.transpose(1, 2).reshape(given.shape))


class Encoding(nn.Module):
    def __init__(self, drop: Dropout) -> None:
        super().__init__()
        self.a, self.drop = Attention(), drop
        self.n1, self.n2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.f1, self.f2 = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, seen: Tensor, mask: Tensor, ties: Tensor) -> Tensor:
        seen = seen + self.drop(self.a(self.n1(seen), mask, ties))
        inner = self.drop(functional.relu(self.f1(self.n2(seen))))
        return seen + self.drop(self.f2(inner))


class Model(nn.Module):
    def __init__(self, words: int) -> None:
        super().__init__()
        self.drop = Dropout()
        self.word, self.kind = nn.Embedding(words + 2, WIDTH), nn.Embedding(2 * KINDS, WIDTH)
        self.level, self.spread = nn.Embedding(LEVELS, WIDTH), nn.Embedding(SPREADS, WIDTH)
        self.side = nn.Embedding(2 * LEVELS, WIDTH)
        self.vec = nn.Linear(DIMENSIONS, WIDTH)
        self.enc = nn.ModuleList([Encoding(self.drop) for _ in range(LAYERS)])
        self.en, self.gate = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 1)
        self.mq, self.mk = (nn.Linear(WIDTH, RANK, bias=False) for _ in range(2))
        self.lev = nn.Parameter(torch.tensor([0.0, 0.1, 0.2, 0.35, 0.9]))
        self.cos, self.imp = nn.Parameter(torch.tensor([0.5])), nn.Linear(WIDTH, 1)
        self.nearby = nn.Parameter(torch.tensor([0.6, 0.5]))
        self.h = nn.Linear(2 * WIDTH + SIGNS + COVERED, WIDTH)
        self.out, self.teach = nn.Linear(WIDTH, 1), nn.Linear(WIDTH, 1)
        self.direct = nn.Linear(SIGNS + COVERED, 1)
        self._begin()

    def _begin(self) -> None:
        """By words alone: how relevant the passage is, how much of the question stands there."""
        for part in (self.word, self.kind, self.level, self.spread, self.side):
            nn.init.normal_(part.weight, std=0.1)
        for layer in self.enc:
            nn.init.zeros_(layer.a.bias.weight)
        with torch.no_grad():
            self.direct.weight.zero_()
            self.direct.weight[0, 0] = 2.0
            self.direct.weight[0, SIGNS : SIGNS + 2] = 3.0
            self.out.weight *= 0.1
            self.mq.weight *= 0.3
            self.mk.weight *= 0.3

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Of each line its log odds, and how alike a teacher would think it."""
        side = batch["best"] + LEVELS * (batch["kinds"] % KINDS == 0)
        early = self.word(batch["numbers"]) + self.kind(batch["kinds"]) + self.side(side)
        early = early + self.level(batch["best"]) + self.spread(batch["spreads"])
        early = self.drop(early + self.vec(batch["meanings"]))
        seen = early
        for layer in self.enc:
            seen = layer(seen, batch["is_there"], batch["ties"])
        seen = self.en(seen)
        gate = self.gate(seen)[..., 0]

        def pooled(mask: Tensor) -> Tensor:
            return gate[:, None].masked_fill(~mask, _NEVER).softmax(-1) @ seen

        of_lines = pooled(batch["lines"])
        asked = pooled(batch["asked"][:, None]).expand_as(of_lines)
        signs = torch.cat([batch["signs"], self._covered(early, batch)], -1)
        inner = functional.relu(self.h(torch.cat([of_lines, asked, signs], -1)))
        odds = self.out(self.drop(inner)) + self.direct(signs)
        return odds[..., 0], self.teach(inner)[..., 0]

    def _covered(self, early: Tensor, batch: Batch) -> Tensor:
        count = batch["levels"].shape[1]
        ours, meanings = early[:, :count], batch["meanings"]
        alike = functional.relu(meanings[:, :count] @ meanings.transpose(1, 2))
        met = self.lev[batch["levels"]] + self.cos * alike
        met = met + self.mq(ours) @ self.mk(early).transpose(1, 2)

        def best(mask: Tensor) -> Tensor:
            return met[:, None].masked_fill(~mask[:, :, None], -1.0).amax(-1).clamp(min=0)

        here, above = best(batch["lines"]), best(batch["above"][:, None])
        anywhere = torch.maximum(here.amax(1, keepdim=True), above)
        worth = functional.softplus(self.imp(ours)[..., 0]) * batch["asked"][:, :count]
        worth = (worth / (worth.sum(-1, keepdim=True) + 1e-6))[:, None]
        around = torch.maximum(here, self.nearby[0] * above)
        around = torch.maximum(around, self.nearby[1] * anywhere)
        every = anywhere.expand_as(here)
        return torch.stack([(each * worth).sum(-1) for each in (here, around, every)], -1)


# ---- training --------------------------------------------------------------------------------


def fit(learnt: Sequence[Example], epochs: int, teacher: Path | None) -> tuple[Model, list[str]]:
    torch.manual_seed(1)
    leaving_out, draw = np.random.default_rng(1), random.Random(1)
    asked = _questions(learnt, teacher)
    words = _listed_words(asked)
    lists = {word: at for at, word in enumerate(words, 2)}
    asked = [one for one in asked if one.is_learnt_from]
    held = _questions([*unmet("ja"), *unmet("en")], None)
    print(f"{len(asked):,} questions, {len(words):,} words", flush=True)
    model = Model(len(words))
    averaged = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(AVERAGED))
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    steps = epochs * math.ceil(len(asked) / BATCH)
    pace = torch.optim.lr_scheduler.LambdaLR(optimizer, partial(_pace, steps))
    kept: list[dict[str, Tensor]] = []
    for epoch in range(1, epochs + 1):
        model.train()
        draw.shuffle(asked)
        losses: list[float] = []
        for number, at in enumerate(range(0, len(asked), BATCH)):
            loss = _loss(model, asked[at : at + BATCH], lists, draw, leaving_out)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            pace.step()
            if number % EVERY == EVERY - 1:
                averaged.update_parameters(model)
            losses.append(loss.item())
        print(f"epoch {epoch}: loss {np.mean(losses):.3f}", flush=True)
        judge(averaged.module, held, lists)
        if epoch >= SETTLED:
            kept.append({name: part.clone() for name, part in averaged.module.state_dict().items()})
    averaged.module.load_state_dict(
        {name: torch.stack([each[name] for each in kept]).mean(0) for name in kept[0]}
    )
    print("together:")
    judge(averaged.module, held, lists)
    return averaged.module, words


def _questions(examples: Sequence[Example], teacher: Path | None) -> list[Question]:
    if teacher is None:
        return [Question(one) for one in examples]
    from passage_teacher import (  # noqa: PLC0415 - what it needs is large
        Encoder,
        likeness_of,
        texts_of,
    )

    english = {id(one) for one in examples if one.organisation.startswith("en")}
    known = Encoder(teacher).vectors(texts_of(one for one in examples if id(one) in english))
    made: list[Question] = []
    for one in examples:
        texts = [text_of(each) for each in one.passages]
        made.append(Question(one, likeness_of(one, texts, known) if id(one) in english else None))
    return made


def _listed_words(asked: Sequence[Question]) -> list[str]:
    counts = Counter[str]()
    seen: set[int] = set()
    for one in asked:
        counts.update({word.listed for word in words_of(one.example.question, every=True)})
        for text in one.texts:
            if id(text) not in seen:
                seen.add(id(text))
                counts.update({word.listed for word in text.words})
    return [word for word, count in counts.most_common() if count >= OFTEN]


def _loss(
    model: Model,
    asked: Sequence[Question],
    lists: dict[str, int],
    draw: random.Random,
    leaving_out: np.random.Generator,
) -> Tensor:
    chosen = [one.drawn(draw) for one in asked]
    pairs = [one.pool.pair(at, lists) for one, own in zip(asked, chosen, strict=True) for at in own]
    found = iter(_odds_of(model, pairs, leaving_out))
    losses: list[Tensor] = []
    alike: list[Tensor] = []
    for one, own in zip(asked, chosen, strict=True):
        rows = [next(found) for _ in own]
        odds = torch.cat([torch.zeros(1), *(row for row, _ in rows)])
        golden = torch.tensor([not one.right, *(is_it for at in own for is_it in one.golden[at])])
        losses.append(torch.logsumexp(odds, 0) - torch.logsumexp(odds[golden], 0))
        if one.taught is not None:
            taught = [torch.from_numpy(one.taught[at]) for at in own]
            pairs_of = zip(rows, taught, strict=True)
            alike += [functional.mse_loss(row[1], each) for row, each in pairs_of]
    loss = torch.stack(losses).mean()
    if alike:
        loss = loss + TAUGHT * torch.stack(alike).sum() / len(asked) / PASSAGES
    return loss


def _odds_of(
    model: nn.Module, pairs: Sequence[Pair], leaving_out: np.random.Generator | None
) -> list[tuple[Tensor, Tensor]]:
    """Those of about one length at once."""
    order = sorted(range(len(pairs)), key=lambda at: len(pairs[at].numbers))
    found: dict[int, tuple[Tensor, Tensor]] = {}
    for begin in range(0, len(order), AT_ONCE):
        chosen = order[begin : begin + AT_ONCE]
        odds, alike = model(batch_of([pairs[at] for at in chosen], leaving_out))
        for at, row, like in zip(chosen, odds, alike, strict=True):
            lines = len(pairs[at].signs)
            found[at] = row[:lines], like[:lines]
    return [found[at] for at in range(len(pairs))]


def _pace(steps: int, step: int) -> float:
    return min(1, (step + 1) / WARM_UP) * 0.5 * (1 + math.cos(math.pi * min(1, step / steps)))


def judge(model: nn.Module, asked: Sequence[Question], lists: dict[str, int]) -> None:
    """How often the passage that it thinks best answers; how well it knows whether any does."""
    model.eval()
    by_name: dict[str, list[tuple[bool, bool, float]]] = {}
    with torch.no_grad():
        for one in asked:
            rows = _odds_of(model, [one.pool.pair(at, lists) for at in one.read], None)
            sums = [float(torch.logsumexp(row, 0)) for row, _ in rows]
            best = int(np.argmax(sums)) if sums else -1
            is_right = best >= 0 and any(one.golden[one.read[best]])
            told = (bool(one.example.quotes), is_right, max(sums, default=-6.0))
            by_name.setdefault(one.example.organisation, []).append(told)
    for name, told in by_name.items():
        known = [is_right for is_known, is_right, _ in told if is_known]
        print(f"  {name}: first {np.mean(known):.3f}, AUROC {_auroc(told):.3f}", flush=True)


def _auroc(told: Sequence[tuple[bool, bool, float]]) -> float:
    known = [odds for is_known, _, odds in told if is_known]
    others = [odds for is_known, _, odds in told if not is_known]
    return float(np.mean([[a > b for b in others] for a in known]))


def keep(model: nn.Module, words: Sequence[str], path: Path) -> None:
    listed = np.frombuffer(json.dumps(words, ensure_ascii=False).encode(), np.uint8)
    arrays: dict[str, Any] = {
        name: part.detach().numpy().astype(np.float16)
        for name, part in model.state_dict().items()
        if not name.startswith("teach")
    }
    np.savez_compressed(path, lists=listed, **arrays)


# ---- relevance -------------------------------------------------------------------------------


def fit_relevance(data: Path) -> Weights:
    """Of both languages, every question set alike."""
    jsquad = load(data, "jsquad")
    drawn = random.Random(6).sample(of_articles(jsquad, for_fitting=True), 500)
    return Weights(
        ja=_line(list(unmet("ja"))),
        prose=_line(list(_of_paragraphs(jsquad, drawn))),
        en=_line(list(unmet("en"))),
    )


def _line(examples: Sequence[Example]) -> Line:
    rows = [
        (told, bool(is_golden), bool(one.quotes))
        for one in examples
        for told, is_golden in zip(
            signs_of(read(one.question, one.passages)), one.golden, strict=True
        )
    ]
    known = sum(is_known for _, _, is_known in rows)
    share = {True: ANSWERABLE / known, False: (1 - ANSWERABLE) / (len(rows) - known)}
    names = list(rows[0][0])
    table = np.array([[told[name] for name in names] for told, _, _ in rows])
    weights = np.array([share[is_known] for _, _, is_known in rows])
    fitted = logistic(table, [is_golden for _, is_golden, _ in rows], weights, RIDGE)
    line = Line(
        weights={name: round(float(w), 4) for name, w in zip(names, fitted.weights, strict=True)},
        intercept=round(fitted.intercept, 4),
    )
    print(line)
    return line


if __name__ == "__main__":
    main()
