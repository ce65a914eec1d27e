"""Workflows are loaded one by one, once, and when they are wanted."""

import threading

import pytest
from typing_extensions import override

from sanbo.service.catalog import AnyWorkflow, Workflows
from tests.workflows.expenses import Expenses
from tests.workflows.intake import Intake


class Closing(Expenses):
    closed = 0

    @override
    def close(self) -> None:
        self.closed += 1


class Shelf:
    """Counts what was loaded."""

    def __init__(self) -> None:
        self.loaded: list[str] = []
        self.expenses = Closing()
        self.workflows = Workflows({"expenses": self._expenses, "intake": self._intake})

    def _expenses(self) -> AnyWorkflow:
        self.loaded.append("expenses")
        return self.expenses

    def _intake(self) -> AnyWorkflow:
        self.loaded.append("intake")
        return Intake()


def test_names_are_known_without_loading() -> None:
    shelf = Shelf()
    assert "expenses" in shelf.workflows
    assert "nothing" not in shelf.workflows
    assert list(shelf.workflows) == ["expenses", "intake"]
    assert len(shelf.workflows) == 2
    assert shelf.loaded == []


def test_each_is_loaded_once_however_many_ask() -> None:
    shelf = Shelf()
    together = threading.Barrier(8)

    def ask() -> None:
        together.wait()
        assert shelf.workflows["expenses"] is shelf.expenses

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shelf.loaded == ["expenses"]


def test_all_can_be_loaded_at_once() -> None:
    shelf = Shelf()
    shelf.workflows.load()
    assert shelf.loaded == ["expenses", "intake"]


def test_only_what_was_loaded_is_closed() -> None:
    shelf = Shelf()
    shelf.workflows.close()
    assert (shelf.loaded, shelf.expenses.closed) == ([], 0)
    _ = shelf.workflows["expenses"]
    shelf.workflows.close()
    assert (shelf.loaded, shelf.expenses.closed) == (["expenses"], 1)


def test_one_that_cannot_be_closed_keeps_no_other_open() -> None:
    class Stuck(Intake):
        @override
        def close(self) -> None:
            raise OSError("stuck")

    closing = Closing()
    with pytest.raises(OSError, match="stuck"):
        Workflows.of([Stuck(), closing]).close()
    assert closing.closed == 1
    with pytest.raises(OSError, match="stuck"):
        Workflows.of([closing, Stuck()]).close()
    assert closing.closed == 2


def test_what_fails_while_it_is_loaded_is_not_taken_for_unknown() -> None:
    def broken() -> AnyWorkflow:
        raise KeyError("a defect of its own")

    with pytest.raises(KeyError, match="a defect of its own"):
        Workflows({"broken": broken}).get("broken")


def test_some_of_them_are_the_same_ones() -> None:
    shelf = Shelf()
    some = shelf.workflows.only("expenses")
    assert list(some) == ["expenses"]
    assert shelf.loaded == []
    assert some["expenses"] is shelf.workflows["expenses"]
    assert shelf.loaded == ["expenses"]


def test_an_unknown_name_is_unknown() -> None:
    with pytest.raises(KeyError):
        _ = Shelf().workflows["nothing"]
    assert Shelf().workflows.get("nothing") is None


def test_workflows_that_are_made_already_go_by_their_names() -> None:
    expenses, intake = Expenses(), Intake()
    workflows = Workflows.of([expenses, intake])
    assert dict(workflows) == {"expenses": expenses, "intake": intake}
    assert Workflows.of(workflows) is workflows
