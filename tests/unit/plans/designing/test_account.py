"""What no step answers is named; what is answered is not; nothing is half done in silence."""

from collections.abc import Iterator, Mapping

import pytest

from sanbo.agents.analysis.datasets import Datasets
from sanbo.agents.analysis.settings import AnalysisSettings
from sanbo.documents.model import Source
from sanbo.documents.reading import Readers
from sanbo.plans.designing.composition import compose
from sanbo.plans.designing.draft import Draft
from sanbo.plans.designing.sources import read_material
from sanbo.plans.designing.wording import format_mentions

SALES = """日付,支店,商品,数量,単価,金額,状態
2026-04-01,東京支店,ノート,3,1200,3600,出荷済
2026-04-02,大阪支店,鉛筆,10,80,800,取消
2026-04-03,東京支店,鉛筆,5,80,400,保留
2026-04-09,名古屋支店,ノート,2,1200,2400,出荷済
"""
SHOPS = "店舗 名,売上\n新宿,100\n渋谷,200\n新宿,50\n"
CONTRACTS = (
    "契約番号,相手先,満了日,担当者,金額\nA,x社,2026-03-31,佐藤,100\nB,y社,2026-06-30,鈴木,300\n"
)
LICENCES = "Vendor,Seats,Annual cost\nAcme,40,7200\nBell,10,46290\n"


@pytest.fixture(scope="module")
def desk() -> Iterator[tuple[Readers, Datasets]]:
    readers, datasets = Readers(), Datasets(AnalysisSettings())
    yield readers, datasets
    readers.close()
    datasets.close()


def drafted(
    desk: tuple[Readers, Datasets], instruction: str, name: str, table: str
) -> tuple[Draft, str]:
    """The draft, and its open points in one text."""
    material = read_material([Source(name=name, data=table.encode())], desk[0])
    made = compose(instruction, material, *desk)
    return made, "\n".join(made.open_points)


def blocks(draft: Draft) -> dict[str, Mapping[str, object]]:
    return {str(node.get("block")): node["in"] for node in draft.nodes}


@pytest.mark.parametrize(
    ("instruction", "words"),
    [
        ("東京支店の売上を和暦の日付でExcelに", ("東京支店", "和暦")),
        ("支店ごとの合計を出し、上位2件に色をつけてExcelに", ("上位2件", "色")),
        ("大口顧客の売上だけをExcelに", ("大口顧客", "だけ")),
        ("金額を千円単位に丸めてExcelにしてください", ("千円単位", "丸め")),
        ("支店別の前年比をExcelに", ("前年比",)),
        ("売上をPDFにしてください", ("pdf",)),
        ("「担当」の列を足してExcelに", ("担当",)),
        ("2026年5月の分をExcelに", ("5月",)),
        ("金額が1000円以上のものを、税率8%で計算してExcelに", ("8",)),
    ],
)
def test_words_without_a_step_are_open_points(
    desk: tuple[Readers, Datasets], instruction: str, words: tuple[str, ...]
) -> None:
    _, told = drafted(desk, instruction, "売上.csv", SALES)
    assert all(word in told for word in words), told


@pytest.mark.parametrize(
    "instruction",
    [
        "東京支店だけ抜いてExcelにしてください。",
        "支店ごとに金額を合計して、多い順に並べてExcelで。",
        "金額が1,000円以上のものをCSVで出して",
        "2026年4月の売上のうち、状態が「取消」のものは除いてExcelに。部長の承認をもらってから出してください。",
    ],
)
def test_what_steps_answer_is_not_told(desk: tuple[Readers, Datasets], instruction: str) -> None:
    _, told = drafted(desk, instruction, "売上.csv", SALES)
    assert not told


def test_a_group_and_its_figures_are_added_up_or_told(desk: tuple[Readers, Datasets]) -> None:
    made, told = drafted(desk, "店舗ごとの売上をExcelにして、店長が承認", "売上.csv", SHOPS)
    group = blocks(made)["transforms.group_by_agg"]
    assert group["by"] == ["店舗 名"]
    assert not told


def test_listed_columns_end_where_the_sentence_goes_on(desk: tuple[Readers, Datasets]) -> None:
    instruction = "契約番号、相手先、満了日、担当者だけで結構。Excelで。"
    made, told = drafted(desk, instruction, "契約台帳.csv", CONTRACTS)
    picked = blocks(made)["transforms.rename_fields"]["rename"]
    assert list(picked) == ["契約番号", "相手先", "満了日", "担当者"]  # type: ignore[call-overload]
    assert not told


def test_a_column_that_was_guessed_is_told(desk: tuple[Readers, Datasets]) -> None:
    made, told = drafted(desk, "多い順に並べてExcelに", "売上.csv", SALES)
    assert str(blocks(made)["transforms.sort"]["by"]) in told
    instruction = "total seats and annual cost per vendor, most expensive vendor first, in excel"
    made, _ = drafted(desk, instruction, "licences.csv", LICENCES)
    assert "Annual cost" in str(blocks(made)["transforms.sort"]["by"])


def test_formats_are_told_apart_by_what_is_done_with_them() -> None:
    wanted = {
        "請求書のzipと入金明細csvを照合して、差異をexcelに書き出す": ["excel"],
        "3列だけ残したcsvを作ってほしい": ["csv"],
        "csvでもらった売上をexcelで": ["excel"],
        "上期の受注csvです": [],
        "match the zip of invoices with the payments csv and write excel": ["excel"],
        "each carrier sends its lines as a csv": [],
        "save the list as a csv": ["csv"],
    }
    for text, names in wanted.items():
        assert [one.name for one in format_mentions(text) if one.is_target] == names, text


def test_a_step_that_keeps_rows_says_so_in_a_sentence(desk: tuple[Readers, Datasets]) -> None:
    draft, _ = drafted(desk, "売上.csv の状態が出荷済の行だけをExcelにする。", "売上.csv", SALES)
    titles = [str(node.get("title", "")) for node in draft.nodes]
    assert any("行の抽出（状態が出荷済）" in title for title in titles)
