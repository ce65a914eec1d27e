"""Installs the browser that the journeys drive, where that is possible: Debian's chromium.

python tests/journeys/install_browser.py
"""

import os
import shutil
import subprocess
import sys

PACKAGES = ("chromium", "fonts-noto-cjk")


def main() -> int:
    if shutil.which("chromium"):
        print("chromium is there; nothing to install.")
        return 0
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        print("Not installed: this needs apt-get and root. The browser journeys will be skipped.")
        return 0
    print(f"Installing {' and '.join(PACKAGES)} with apt-get …", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
        if subprocess.run([apt, *command], env=environment, check=False).returncode != 0:
            print("Not installed: apt-get failed. The browser journeys will be skipped.")
            return 0
    print("Installed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
