"""What users rely on, compared between two checkouts: nothing of it may get lost.

Commands and options, routes and shapes of the API, the GraphQL schema, blocks with their ports
and settings. Additions are listed; what is missing or different ends with 1.

    python benchmarks/surface.py --before ../earlier --after .
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import yaml

# Runs in the checkout that is looked at, so it names only what both are sure to have.
_LOOK = """
import json, sys
from sanbo.cli.root import root
import typer.main
def tree(command, name):
    found = {name: sorted(o for p in command.params for o in (*p.opts, *p.secondary_opts))}
    for key, each in getattr(command, "commands", {}).items():
        found.update(tree(each, f"{name} {key}"))
    return found
command = root()
command = command if hasattr(command, "params") else typer.main.get_command(command)
from sanbo.api.graphql.schema import create_schema
sdl = create_schema().as_str().splitlines()
json.dump({"cli": tree(command, "sanbo"), "graphql": sdl}, sys.stdout)
"""


def surface(checkout: Path) -> dict[str, Any]:
    looked = json.loads(_run(checkout, "-c", _LOOK))
    api = json.loads((checkout / "web" / "openapi.json").read_text("utf-8"))
    return {
        "cli": looked["cli"],
        "graphql": sorted({line.strip() for line in looked["graphql"] if line.strip()}),
        "routes": {path: sorted(verbs) for path, verbs in api["paths"].items()},
        "shapes": {
            name: sorted(shape.get("properties", {}))
            for name, shape in api["components"]["schemas"].items()
        },
        "blocks": {
            path.name: {**yaml.safe_load(path.read_text("utf-8")), "entrypoint": ""}
            for path in (checkout / "src/sanbo/blocks/specs").rglob("*.yaml")
        },
        "settings": [
            line
            for line in (checkout / "docs/reference/settings.md").read_text("utf-8").splitlines()
            if line.startswith("| `")
        ],
    }


def _run(checkout: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "SANBO_LANGUAGE": "en"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ).stdout


def differences(before: object, after: object, where: str) -> Iterator[tuple[str, str]]:
    if isinstance(before, dict) and isinstance(after, dict):
        old, new = cast("dict[str, object]", before), cast("dict[str, object]", after)
        for key in old.keys() | new.keys():
            if key not in new:
                yield "missing", f"{where}: {key}"
            elif key not in old:
                yield "added", f"{where}: {key}"
            else:
                yield from differences(old[key], new[key], f"{where}/{key}")
    elif isinstance(before, list) and isinstance(after, list):
        old_items = {json.dumps(each, sort_keys=True) for each in cast("list[object]", before)}
        new_items = {json.dumps(each, sort_keys=True) for each in cast("list[object]", after)}
        yield from (("missing", f"{where}: {each}") for each in old_items - new_items)
        yield from (("added", f"{where}: {each}") for each in new_items - old_items)
    elif before != after:
        yield "different", f"{where}: {before!r} → {after!r}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, default=Path())
    given = parser.parse_args()
    before, after = (surface(path.resolve()) for path in (given.before, given.after))
    found = sorted(each for name in before for each in differences(before[name], after[name], name))
    for kind, what in found:
        print(f"{kind:9} {what}")
    lost = sum(kind != "added" for kind, _ in found)
    print(f"{len(found) - lost} added, {lost} missing or different")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
