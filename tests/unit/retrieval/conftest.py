"""Collections with the embedded engine: on SQLite, and on both databases where they matter."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sanbo.service.collections import Collections, open_collections
from sanbo.settings import Settings, load_settings


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Collections]:
    with open_collections(load_settings(tmp_path / "workspace", {})) as collections:
        yield collections


@pytest.fixture
def shelf_on_both(settings: Settings) -> Iterator[Collections]:
    with open_collections(settings) as collections:
        yield collections


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files as an office has them."""
    folder = tmp_path / "共有"
    (folder / "契約").mkdir(parents=True)
    (folder / "契約" / "秘密保持.txt").write_text(
        "第一条（目的）　本契約は、秘密情報の取扱いを定める。\n\n"
        "第二条（秘密保持）　乙は、秘密情報を第三者に開示してはならない。\n",
        "utf-8",
    )
    (folder / "契約" / "業務委託.md").write_text(
        "# 業務委託契約\n\n## 第三条（報酬）\n\n甲は、月末までに報酬50万円を支払う。\n", "utf-8"
    )
    (folder / "売上.csv").write_bytes(
        "支店,担当,売上\n東京,山田,1200\n大阪,髙橋,800\n福岡,佐藤,650\n".encode("cp932")
    )
    return folder
