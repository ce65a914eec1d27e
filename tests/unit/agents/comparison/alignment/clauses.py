"""Clauses of a made-up contract and manual, and sides that are built of such."""

from collections.abc import Mapping, Sequence

from sanbo.agents.comparison.model import Alignment, Chunk, Side
from sanbo.documents.model import Position
from sanbo.kernel.text import matching_form

JAPANESE: tuple[str, ...] = (
    "受託者は、毎月末日までに業務の進み具合を書面で委託者に報告するものとする。",
    "委託料は月額五十万円とし、翌月十日までに受託者の指定する口座へ振り込む。",
    "秘密情報とは、開示の際に秘密である旨を明示された技術上又は営業上の情報をいう。",
    "この契約の有効期間は、締結の日から一年間とし、満了の三か月前までに申出がなければ更新する。",
    "受託者は、事前の承諾なく業務の全部を第三者に再委託してはならない。",
    "天災その他やむを得ない事情により履行が遅れたときは、いずれの当事者も責任を負わない。",
    "紛争が生じたときは、本店所在地を管轄する地方裁判所を第一審の専属管轄とする。",
)
ENGLISH: tuple[str, ...] = (
    "The supplier sends a written progress report to the client by the last day of each month.",
    "Invoices are due within thirty days and carry interest at four percent thereafter.",
    "Passwords of the warehouse terminals have at least twelve characters and no expiry date.",
    "Visitors sign the logbook at reception and wear a badge while they are in the building.",
    "Backups are kept for ninety days in a second location and restored once a quarter as a drill.",
)


def side(
    letter: str,
    texts: Sequence[str],
    *,
    parents: Mapping[int, int] | None = None,
    labels: Sequence[str] = (),
    headings: Sequence[int] = (),
) -> Side:
    """Chunks `A1`, `A2` … in order; `parents` maps a chunk's place to its parent's."""
    chunks: list[Chunk] = []
    at = 0
    for place, text in enumerate(texts):
        parent = (parents or {}).get(place)
        chunks.append(
            Chunk(
                id=f"{letter}{place + 1}",
                text=text,
                key=matching_form(text),
                kind="heading" if place in headings else "paragraph",
                label=labels[place] if labels else "",
                parent=None if parent is None else f"{letter}{parent + 1}",
                position=Position(start=at, end=at + len(text)),
            )
        )
        at += len(text) + 1
    return Side(name=f"{letter}.txt", format="txt", text="\n".join(texts), chunks=tuple(chunks))


def table(rows: Mapping[str, str]) -> Side:
    chunks: list[Chunk] = []
    at = 0
    for name, text in rows.items():
        position = Position(start=at, end=at + len(text))
        chunks.append(
            Chunk(
                id=name,
                text=text,
                key=matching_form(text),
                kind="row",
                label=name,
                position=position,
            )
        )
        at += len(text) + 1
    return Side(
        name="rows.csv",
        format="csv",
        text="\n".join(rows.values()),
        chunks=tuple(chunks),
        keyed=True,
    )


def linked(alignment: Alignment) -> set[tuple[str, str]]:
    return {(old, new) for link in alignment.links for old in link.old for new in link.new}
