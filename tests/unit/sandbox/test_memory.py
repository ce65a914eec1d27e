import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanbo.sandbox.memory import Memory
from tests.unit.sandbox.conftest import descriptors


@given(st.lists(st.binary(max_size=5000), max_size=5))
def test_what_was_put_in_comes_out(parts: list[bytes]) -> None:
    memory = Memory.of(parts)
    assert bytes(memory.view()) == b"".join(parts)
    assert memory.size == sum(len(part) for part in parts)
    memory.close()


def test_a_view_is_read_only_and_outlives_the_memory() -> None:
    memory = Memory.of([b"kept"])
    view = memory.view()
    memory.close()
    assert view.readonly
    assert bytes(view) == b"kept"


def test_nobody_can_change_it_once_it_is_written() -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux seals memory")
    memory = Memory.of([b"sealed"])
    for attempt in (
        lambda: os.pwrite(memory.fd, b"x", 0),
        lambda: os.ftruncate(memory.fd, 0),
        lambda: os.ftruncate(memory.fd, 100),
    ):
        with pytest.raises(PermissionError):
            attempt()
    assert bytes(memory.view()) == b"sealed"
    memory.close()


def test_it_has_no_path_and_leaves_no_descriptor() -> None:
    before = descriptors()
    memory = Memory.of([b"x" * 100_000])
    assert os.fstat(memory.fd).st_nlink == 0
    view = memory.view()
    del view
    memory.close()
    memory.close()
    forgotten = Memory.of([b"nobody closes this"])
    del forgotten
    assert descriptors() == before


def test_a_writer_that_fails_leaves_nothing() -> None:
    before = descriptors()

    def fail(_: object) -> None:
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        Memory.written(fail)
    assert descriptors() == before
