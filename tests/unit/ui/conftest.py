"""Pages run as the main module; afterwards that is the test process's own again."""

import sys
from collections.abc import Generator

import pytest


@pytest.fixture(autouse=True)
def _the_main_module_stays() -> Generator[None]:
    # Processes that multiprocessing starts load it.
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
