"""The pages as they were built: nothing from outside, and little to load."""

import pytest

from sanbo.api.web_app import BUILT, read_export

MOST_SCRIPT_BYTES = 250_000
pytestmark = pytest.mark.skipif(
    not (BUILT / "index.html").is_file(), reason="not built here: make web"
)


def test_the_built_page_names_no_outside_host_to_load_from() -> None:
    page = read_export(BUILT)["index.html"].content.decode()
    assert 'src="http' not in page
    assert 'href="http' not in page


def test_the_first_page_needs_little_script() -> None:
    files = read_export(BUILT)
    page = files["index.html"].content.decode()
    scripts = [name for name in files if name.endswith(".js") and name in page]
    assert 0 < sum(len(files[name].packed) for name in scripts) <= MOST_SCRIPT_BYTES
