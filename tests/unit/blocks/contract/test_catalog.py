"""Finding blocks: by id and range, in the package and in the workspace."""

import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import (
    Code,
    InvalidInput,
    MissingDependency,
    NotFound,
    PermissionDenied,
    SanboError,
)
from sanbo.service.blocks import list_blocks
from tests.unit.blocks.computing import compute
from tests.unit.blocks.contract.workspaces import CODE, Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "作業")


def _problems(workspace: Workspace) -> list[str]:
    return [problem.message for problem in Catalog.load(workspace.path).problems]


def test_a_block_of_the_workspace_stands_beside_the_shipped_ones(workspace: Workspace) -> None:
    workspace.add()
    catalog = Catalog.load(workspace.path)
    spec = catalog.resolve("my.double")
    assert catalog.is_own(spec)
    assert not catalog.is_own(catalog.resolve("file.read_csv"))
    assert compute("my.double", {"number": 21}, catalog=catalog)["double"] == 42


def test_the_newest_version_that_fits_is_taken(workspace: Workspace) -> None:
    for version in ("1.0.0", "1.10.0", "1.9.0", "2.0.0", "3.0.0-beta.1"):
        workspace.add(version=version)
    catalog = Catalog.load(workspace.path)

    def found(reference: str) -> str:
        return str(catalog.resolve(reference).version)

    assert found("my.double") == "2.0.0"
    assert found("my.double@1") == "1.10.0"
    assert found("my.double@^1.0") == "1.10.0"
    assert found("my.double@<1.10") == "1.9.0"
    assert found("my.double@1.9.0") == "1.9.0"
    assert found("my.double@3.0.0-beta.1") == "3.0.0-beta.1"
    versions = [str(spec.version) for spec in catalog.versions("my.double")]
    assert versions == ["3.0.0-beta.1", "2.0.0", "1.10.0", "1.9.0", "1.0.0"]
    with pytest.raises(NotFound) as missing:
        catalog.resolve("my.double@4")
    assert "1.10.0" in missing.value.problem.hint


def test_an_unknown_block_is_told_with_the_nearest() -> None:
    catalog = Catalog.load(None)
    with pytest.raises(NotFound) as missing:
        catalog.resolve("file.read_cvs")
    assert "file.read_csv" in missing.value.problem.hint
    near = cast("list[str]", missing.value.problem.details["nearest"])
    assert near[0] == "file.read_csv"
    assert catalog.nearest("csv.read_csv")[0] == "file.read_csv"
    with pytest.raises(NotFound) as missing:
        catalog.resolve("nothing.like_that")
    assert "sanbo blocks list" in missing.value.problem.hint
    assert catalog.versions("nothing.like_that") == ()


def test_a_changed_file_is_noticed_and_an_unchanged_folder_is_not_read_again(
    workspace: Workspace,
) -> None:
    workspace.add()
    first = Catalog.load(workspace.path)
    assert Catalog.load(workspace.path) is first
    assert compute("my.double", {"number": 2}, catalog=first)["double"] == 4
    # Of the same size and in the same instant: what was compiled before must not come back.
    workspace.write("my/double.py", CODE.replace("FACTOR = 2", "FACTOR = 3"))
    second = Catalog.load(workspace.path)
    assert second is not first
    assert compute("my.double", {"number": 2}, catalog=second)["double"] == 6
    assert compute("my.double", {"number": 2}, catalog=first)["double"] == 4
    workspace.add("my.other")
    assert Catalog.load(workspace.path).versions("my.other")


def test_code_shares_what_stands_beside_it_and_comes_under_a_private_name(
    workspace: Workspace,
) -> None:
    workspace.add()
    workspace.write("my/factors.py", "FACTOR = 5\n")
    workspace.write("my/double.py", CODE.replace("FACTOR = 2", "from .factors import FACTOR"))
    catalog = Catalog.load(workspace.path)
    assert compute("my.double", {"number": 2}, catalog=catalog)["double"] == 10
    block = catalog.block(catalog.resolve("my.double"))
    assert block.__module__.startswith("_sanbo_workspace_blocks_")
    assert "my.double" not in sys.modules
    assert list(workspace.folder.rglob("*.pyc")) == []


def test_a_broken_spec_is_told_with_its_line_and_the_others_work(workspace: Workspace) -> None:
    workspace.add()
    workspace.write("a.yaml", "id: my.a\nversion: 1.0.0\nentrypoint: [\n")
    workspace.write("b.yaml", "id: my.b\nversion: '1'\nentrypoint: b.py:B\n")
    workspace.write("c.yaml", "id: my.c\nversion: 1.0.0\nentrypoint: c.py:C\ninput:\n  x: {}\n")
    workspace.write("d.yaml", "- id: my.d\n")
    workspace.write("e.yaml", "id: My E\nversion: 1.0.0\nentrypoint: e.py:E\n")
    workspace.write("f.yaml", "version: 1.0.0\nentrypoint: f.py:F\n")
    workspace.write("g.yaml", "id: my.g\nversion: 1.0.0\nentrypoint: g.py:G\nid: my.h\n")
    workspace.write("h.yaml", "id: my.h\nversion: !!python/name:os.system\nentrypoint: h.py:H\n")
    told = _problems(workspace)
    assert len(told) == 8
    for file, line in (("a", 4), ("b", 2), ("c", 4), ("e", 1), ("g", 4), ("h", 2)):
        (one,) = [text for text in told if f"block_specs/{file}.yaml" in text]
        assert f"{line}行目" in one
    assert any("inputs の誤りではありませんか" in text for text in told)
    assert Catalog.load(workspace.path).resolve("my.double")
    with use_language("en"):
        assert any("did you mean inputs" in text for text in _problems(workspace))


@pytest.mark.parametrize(
    ("port", "said"),
    [
        ("{type: strin}", "type"),
        ("{type: string, pattern: '(?=a)b'}", "pattern"),
        ("{type: integer, default: eins}", "既定値"),
        ("{$ref: 'os:path'}", "os:path"),
        ("{$ref: 'sanbo.__main__:main'}", "sanbo.__main__:main"),
        ("{$ref: 'sanbo.runs.model:Status'}", "Status"),
        ("{$ref: 'jsonschema://../../secret'}", "jsonschema://../../secret"),
        ("{$ref: 'https://example.com/schema'}", "https://example.com/schema"),
        ("{$ref: '#/nowhere'}", "#/nowhere"),
        ("text", "type: …"),
    ],
)
def test_a_port_that_is_no_schema_is_told(workspace: Workspace, port: str, said: str) -> None:
    workspace.write(
        "x.yaml", f"id: my.x\nversion: 1.0.0\nentrypoint: x.py:X\ninputs:\n  x: {port}\n"
    )
    (told,) = _problems(workspace)
    assert "5行目（inputs.x）" in told
    assert said in told


def test_bombs_are_refused_before_they_grow(workspace: Workspace) -> None:
    laughs = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))
    workspace.write("laughs.yaml", f"a0: &a0 [x]\n{laughs}\n")
    workspace.write("deep.yaml", f"id: {'[' * 5000}{']' * 5000}\n")
    workspace.write("large.yaml", f"id: my.x\n# {'x' * 1_000_001}\n")
    doubling = {f"s{n}": {"anyOf": [{"$ref": f"#/$defs/s{n + 1}"}] * 2} for n in range(40)}
    workspace.write(
        "refs.yaml",
        "id: my.refs\nversion: 1.0.0\nentrypoint: x.py:X\ninputs:\n"
        f"  x: {{$ref: '#/$defs/s0', $defs: {doubling | {'s40': {}}}}}\n",
    )
    told = _problems(workspace)
    assert len(told) == 4
    assert any("エイリアス" in text for text in told)
    assert any("入れ子" in text for text in told)
    assert any("大きすぎます" in text for text in told)


def test_the_same_version_twice_is_told(workspace: Workspace) -> None:
    workspace.add(file="my/one.yaml")
    workspace.add(file="my/two.yaml")
    workspace.add("file.read_csv", str(Catalog.load(None).resolve("file.read_csv").version))
    first, second = sorted(Catalog.load(workspace.path).problems, key=lambda each: each.text_id)
    assert first.code == Code.CONFLICT
    assert "my/one.yaml" in first.message
    assert "my/two.yaml" in first.message
    assert "file.read_csv" in second.message
    catalog = Catalog.load(workspace.path)
    assert not catalog.is_own(catalog.resolve("file.read_csv"))


def test_packages_that_are_missing_are_named(workspace: Workspace) -> None:
    workspace.add()
    path = workspace.folder / "my/my.double-1.0.0.yaml"
    packages = "[pydantic>=2, not-a-package-of-anyone>=1, pydantic>=999]"
    path.write_text(path.read_text("utf-8") + f"requirements: {packages}\n", "utf-8")
    catalog = Catalog.load(workspace.path)
    (problem,) = catalog.problems
    assert problem.code == Code.DEPENDENCY_NOT_FOUND
    assert problem.details["packages"] == ["not-a-package-of-anyone>=1", "pydantic>=999"]
    with pytest.raises(MissingDependency):
        catalog.block(catalog.resolve("my.double"))


@pytest.mark.parametrize(
    ("entrypoint", "kind"),
    [
        ("my/outside.py:Double", PermissionDenied),
        ("my/missing.py:Double", InvalidInput),
        ("my/broken.py:Double", InvalidInput),
        ("my/double.py:Nothing", MissingDependency),
        ("my/double.py:FACTOR", MissingDependency),
        ("my/double.py:DoubleInputs", MissingDependency),
    ],
)
def test_code_that_can_not_be_used_is_told(
    workspace: Workspace, tmp_path: Path, entrypoint: str, kind: type[SanboError]
) -> None:
    workspace.add(entrypoint=entrypoint)
    outside = tmp_path / "outside.py"
    outside.write_text(CODE, "utf-8")
    (workspace.folder / "my/outside.py").symlink_to(outside)
    workspace.write("my/broken.py", "import nothing_of_that_name\n")
    catalog = Catalog.load(workspace.path)
    assert catalog.problems == ()
    with pytest.raises(kind):
        catalog.block(catalog.resolve("my.double"))


def test_an_entrypoint_never_leaves_the_folder(workspace: Workspace) -> None:
    for number, entrypoint in enumerate(("../out.py:X", "/etc/out.py:X", "a/../../o.py:X", "os:X")):
        workspace.add(f"my.x{number}", entrypoint=entrypoint)
    assert len(_problems(workspace)) == 4


def test_specs_behind_a_link_out_of_the_folder_are_not_read(
    workspace: Workspace, tmp_path: Path
) -> None:
    other = Workspace(tmp_path / "other")
    other.add("their.block")
    (workspace.folder / "link.yaml").symlink_to(other.folder / "my/their.block-1.0.0.yaml")
    assert Catalog.load(workspace.path).versions("their.block") == ()


def test_ports_refer_to_models_and_shared_schemas(workspace: Workspace) -> None:
    workspace.write(
        "models/invoice.py",
        """\
        from pydantic import BaseModel

        class Line(BaseModel):
            amount: int

        class Invoice(BaseModel):
            lines: list[Line]
            parts: list["Invoice"] = []
        """,
    )
    workspace.write("schemas/period.json", '{"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"}')
    workspace.add()
    workspace.write(
        "my/refs.yaml",
        """\
        id: my.refs
        version: 1.0.0
        entrypoint: my/double.py:Double
        inputs:
          invoice: {$ref: "models.invoice:Invoice", nullable: true}
          period: {$ref: "jsonschema://period", description: 月}
          file: {$ref: "sanbo.runs.model:FileRef"}
        """,
    )
    assert _problems(workspace) == []
    inputs = Catalog.load(workspace.path).resolve("my.refs").inputs
    schema = inputs["invoice"].schema_
    assert schema["type"] == ["object", "null"]
    amount = schema["properties"]["lines"]["items"]["properties"]["amount"]
    assert amount["type"] == "integer"
    assert "$defs" not in str(schema)
    assert inputs["period"].schema_["pattern"]
    assert inputs["file"].schema_["required"] == ["file_id", "name", "size"]


def test_the_catalog_needs_none_of_the_large_libraries() -> None:
    heavy = ("pandas", "pyarrow", "scipy", "vl_convert", "distributed", "langgraph", "streamlit")
    loaded = f"[m for m in {heavy} if m in sys.modules]"
    code = f"import sys, sanbo.blocks.contract.catalog; print({loaded})"
    environment = {key: value for key, value in os.environ.items() if key != "COVERAGE_RUN"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == "[]"


def test_plans_pinned_to_an_earlier_version_get_the_one_that_replaces_it() -> None:
    catalog = Catalog.load(None)
    for pinned in ("0.1.0", "^0.1", "0", "~0.2"):
        assert catalog.resolve(f"ui.interactive_input@{pinned}").id == "ui.interactive_input"
    with pytest.raises(NotFound):
        catalog.resolve("ui.interactive_input@9")


@pytest.mark.parametrize("code", ["import nosuch_package\n", "def (:\n", "class Other: ...\n"])
def test_code_that_can_not_be_loaded_is_listed(workspace: Workspace, code: str) -> None:
    workspace.add()
    workspace.write("my/double.py", code)
    found = list_blocks(workspace.path)
    assert "my.double" in [each.id for each in found.blocks]
    (problem,) = found.problems
    assert "my.double" in problem.message or "double.py" in problem.message
