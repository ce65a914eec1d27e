"""The research page's types say what the API says: told without Node."""

import hashlib
import json
import runpy
from pathlib import Path

WEB = Path(__file__).parents[2] / "web"
ANEW = (
    "the API has changed: run `make types` and commit web/openapi.json and web/src/api/schema.d.ts"
)


def test_the_page_knows_the_api_as_it_is() -> None:
    told: str = runpy.run_path(str(WEB / "openapi.py"))["page_document"]()
    kept = (WEB / "openapi.json").read_text("utf-8")
    assert json.loads(kept) == json.loads(told), ANEW


def test_its_types_are_made_from_what_it_knows() -> None:
    hashed = hashlib.sha256((WEB / "openapi.json").read_bytes()).hexdigest()
    first_line = (WEB / "src/api/schema.d.ts").read_text("utf-8").splitlines()[0]
    assert hashed in first_line, ANEW


def test_no_file_of_the_page_names_a_package_index() -> None:
    lock = (WEB / "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in lock
    for source in (lock, *((WEB / name).read_text("utf-8") for name in ("package.json", ".npmrc"))):
        assert "://registry." not in source
