"""A kind of chart is added with one module: specs, the sandbox, words and pictures then have it."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.extension.house import House

LOLLIPOP = Path(__file__).parent / "chart" / "lollipop.py"
TABLE = "店舗,売上\n新宿店,300\n大阪店,200\n新宿店,50\n"
DRAW = """
import json, sys
from sanbo.agents.analysis.charts import KINDS
from sanbo.agents.analysis.charts.picture import picture_apart
from sanbo.agents.analysis.datasets import Datasets, Wanted
from sanbo.agents.analysis.settings import AnalysisSettings
from sanbo.agents.analysis.spec.reading import read_spec

spec = read_spec({"kind": "lollipop", "x": "店舗", "y": "売上"})
datasets = Datasets(AnalysisSettings())
try:
    read = open(sys.argv[1], "rb").read
    profile = datasets.load(Wanted("ab" * 32, "table.csv"), read)
    figure = datasets.execute(profile.dataset_id, (), spec).outcome.figures[0]
finally:
    datasets.close()
kept = json.dumps(figure.vega).encode()
print(json.dumps({
    "kinds": sorted(KINDS),
    "alt": figure.alt,
    "rows": figure.table.rows,
    "layers": len(figure.vega["layer"]),
    "png": picture_apart(kept, "png")[:4].hex(),
}))
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    with House.built_in(tmp_path_factory.mktemp("house")) as house:
        house.add(LOLLIPOP, "agents/analysis/charts")
        yield house


def test_it_is_computed_drawn_told_in_words_and_made_a_picture(
    house: House, tmp_path: Path
) -> None:
    table = tmp_path / "table.csv"
    table.write_text(TABLE, "utf-8")
    done = house.python("-c", DRAW, str(table))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert "lollipop" in found["kinds"]
    assert found["alt"].startswith("ロリポップチャート「店舗別の売上（合計）」。")
    assert found["rows"] == [["新宿店", 350], ["大阪店", 200]]
    assert found["layers"] == 2
    assert found["png"] == "89504e47"


def test_a_field_that_is_not_its_own_is_refused_by_name(house: House) -> None:
    code = (
        "from sanbo.agents.analysis.spec.reading import read_spec\n"
        "read_spec({'kind': 'lollipop', 'x': '店舗', 'stick': 3})"
    )
    done = house.python("-c", code)
    assert done.returncode != 0
    assert "stick" in done.stderr
