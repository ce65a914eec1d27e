"""What is not sure is said, with the candidates; what is sure is not."""

from sanbo.agents.comparison.alignment.align import align
from tests.unit.agents.comparison.alignment.clauses import JAPANESE, side


def test_nothing_is_in_doubt_where_little_changed() -> None:
    new = [*JAPANESE[:2], JAPANESE[2].replace("技術上", "製造上"), *JAPANESE[3:]]
    assert not align(side("A", JAPANESE), side("B", new)).doubts


def test_two_new_clauses_that_fit_equally_well_put_the_old_one_in_doubt() -> None:
    old = [*JAPANESE, "備品を借りる者は、総務課の窓口で申請書に氏名を記入し、確認を受ける。"]
    new = [
        *JAPANESE,
        "備品を返す者は、経理課の受付で申請書に部署を記入し、確認を受ける。",
        "車両を借りる者は、総務課の窓口で台帳に行先を記入し、許可を受ける。",
    ]
    alignment = align(side("A", old), side("B", new))
    [doubt] = alignment.doubts
    assert doubt.old == "A8"
    assert {candidate.id for candidate in doubt.candidates} >= {"B8", "B9"}


def test_candidates_are_at_most_ten_best_first() -> None:
    form = "備品{}を借りる者は、総務課の窓口で申請書に{}を記入し、確認を受ける。"
    things = "机椅子棚鏡傘箱鍵帯灯扇旗鐘"
    old = [*JAPANESE, "備品を借りる者は、窓口で申請書に氏名を記入し、総務課の確認を受ける。"]
    new = [
        *JAPANESE,
        *(form.format(one, other) for one, other in zip(things, things[::-1], strict=True)),
    ]
    for doubt in align(side("A", old), side("B", new)).doubts:
        scores = [candidate.score for candidate in doubt.candidates]
        assert len(scores) <= 10
        assert scores == sorted(scores, reverse=True)
