"""Every shipped block keeps what its contract says: loads, is described, runs its samples."""

import inspect
import math
import re
from pathlib import Path
from typing import Any, cast

import pytest

from sanbo.blocks.block import Block, Given
from sanbo.blocks.contract.block_folder import shipped_folder
from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.contract.reference import pages
from sanbo.blocks.contract.samples import filled, sample_inputs, sample_outputs
from sanbo.blocks.contract.schemas import check_inputs, check_outputs, compiled, typed_inputs
from sanbo.blocks.spec import BlockSpec
from sanbo.blocks.table import rows_given
from sanbo.kernel.messages import LANGUAGES
from sanbo.runs.model import FileRef
from tests.cpu_time import least_seconds
from tests.unit.blocks.computing import compute

SPECS = Catalog.load(None).specs
PAGES = Path("docs/reference/blocks")
UNUSED = {
    "ignore_index",
    "header_type",
    "flatten_multiindex",
    "flatten_joiner",
    "sample_rows",
    "allow_dangerous_code",
    "verbose",
    "widget_key",
}
"""Ports that are only kept for plans in circulation."""

each_block = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.reference)


def test_all_specs_can_be_read() -> None:
    assert [problem.message for problem in Catalog.load(None).problems] == []
    assert len(SPECS) == len(list(shipped_folder().spec_files()))
    assert list(Catalog.load(None).ids) == [spec.id for spec in SPECS]


def test_they_are_read_quickly() -> None:
    def read() -> None:
        for file in shipped_folder().spec_files():
            shipped_folder().read(file)

    assert least_seconds(read) < 0.006 * len(SPECS)


@each_block
def test_a_spec_stands_where_its_id_says(spec: BlockSpec) -> None:
    group = spec.id.partition(".")[0]
    assert (shipped_folder().root / group / f"{spec.id}.yaml").is_file()


@each_block
def test_everything_is_described_in_both_languages(spec: BlockSpec) -> None:
    texts = {"": spec.description}
    for side in (spec.inputs, spec.outputs):
        texts |= {name: port.description for name, port in side.items()}
    for name, text in texts.items():
        assert set(text) == set(LANGUAGES), name
        assert all(each.strip() for each in text.values()), name
        assert text["ja"] != text["en"], name


@each_block
def test_its_schemas_are_json_schemas_that_fit_its_defaults_and_examples(spec: BlockSpec) -> None:
    for name, port in (*spec.inputs.items(), *spec.outputs.items()):
        validator = compiled(port.schema_)
        assert port.default is None or validator.is_valid(port.default), name
        for example in port.examples:
            assert validator.is_valid(filled({name: port}, {name: example}).values[name]), name


@each_block
def test_the_code_takes_exactly_the_input_ports(spec: BlockSpec) -> None:
    """`given.amount` is checked by nobody else: it has the contract's types, and no class."""
    block = Catalog.load(None).block(spec)
    assert block.Inputs is None
    module = inspect.getmodule(block)
    assert module is not None
    code = inspect.getsource(module)
    if (parent := inspect.getmodule(block.__mro__[1])) and parent.__name__ != "sanbo.blocks.block":
        code += inspect.getsource(parent)
    if "rows_given(given)" in code:
        code += inspect.getsource(rows_given)
    if "dict(given)" in code:  # it hands on whatever it is given
        return
    taken = set(re.findall(r"\bgiven(?:\.|\[\")(\w+)", code)) - {"get"} | UNUSED
    beside = [each for each in SPECS if inspect.getmodule(Catalog.load(None).block(each)) is module]
    assert taken == {port for each in beside for port in each.inputs} | UNUSED


def test_inputs_have_the_types_of_the_contract() -> None:
    spec = Catalog.load(None).resolve("file.extract_texts")
    one, other = (
        cast("Any", {"file_id": digit * 64, "name": f"{digit}.txt", "size": 1}) for digit in "ab"
    )
    given = check_inputs(spec, {"files": [one, {"path": "x/b.txt", "bytes": other}]})
    typed = typed_inputs(Catalog.load(None).block(spec), spec, {**given, "excerpt_chars": 40.0})
    assert isinstance(typed, Given)
    assert typed.files == [
        FileRef.model_validate(one),
        {"path": "x/b.txt", "bytes": FileRef.model_validate(other)},
    ]
    assert isinstance(typed.excerpt_chars, int)
    assert "files" in typed
    with pytest.raises(AttributeError):
        _ = typed.file
    reconcile = Catalog.load(None).resolve("matching.reconcile")
    window = typed_inputs(Catalog.load(None).block(reconcile), reconcile, {"date_window": 30.0})
    assert isinstance(window, Given)
    assert isinstance(window["date_window"], int)
    form = Catalog.load(None).resolve("ui.interactive_input")
    asked = check_inputs(form, {"message": "月次", "context_labels": {"a": "差異"}})
    shown = typed_inputs(Catalog.load(None).block(form), form, asked)
    assert isinstance(shown, Given)
    assert shown.message == {"ja": "月次", "en": "月次"}
    assert shown.context_labels == {"a": {"ja": "差異", "en": "差異"}}
    assert shown.context is None
    assert "context" not in shown


@each_block
def test_its_samples_fit_its_ports(spec: BlockSpec) -> None:
    assert spec.dry_run.samples
    for sample in spec.dry_run.samples:
        check_inputs(spec, sample_inputs(spec, sample).values)
        outputs = sample_outputs(spec, sample).values
        assert set(outputs) == set(spec.outputs)
        check_outputs(spec, outputs)


@each_block
def test_a_computing_block_gives_the_outputs_of_its_samples(spec: BlockSpec) -> None:
    if not issubclass(Catalog.load(None).block(spec), Block):
        return
    for sample in spec.dry_run.samples:
        made = compute(spec.reference, sample.inputs)
        assert _same(made.outputs, sample_outputs(spec, sample).values, sample.outputs)


def _same(made: Any, wanted: Any, written: Any) -> bool:
    """Files by name and content; figures as far as floats go."""
    if isinstance(wanted, dict) and isinstance(made, dict):
        made, wanted = cast("dict[str, Any]", made), cast("dict[str, Any]", wanted)
        if "file_id" in made and "file_id" not in wanted:  # only the name is declared
            return made["name"] == wanted["name"]
        if "file_id" in wanted and "file_id" not in written:
            return (made["name"], made["file_id"]) == (wanted["name"], wanted["file_id"])
        assert set(made) == set(wanted)
        return all(_same(made[key], wanted[key], written[key]) for key in wanted)
    if isinstance(wanted, list) and isinstance(made, list):
        made, wanted = cast("list[Any]", made), cast("list[Any]", wanted)
        return all(_same(*each) for each in zip(made, wanted, written, strict=True))
    if isinstance(wanted, float) and isinstance(made, float):
        return math.isclose(made, wanted, rel_tol=1e-9)
    assert made == wanted
    return True


def test_the_reference_pages_are_up_to_date() -> None:
    written = {page.name: page.read_text("utf-8") for page in PAGES.glob("*.md")}
    assert written == pages(), "run `make blocks-docs`"
