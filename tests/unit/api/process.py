"""The server as a process of its own, for tests that end it: says its port, then serves."""

import socket
import sys
from pathlib import Path

import uvicorn

from sanbo.settings import load_settings
from tests.unit.api.serving import ENVIRONMENT, application


def main() -> None:
    app = application(load_settings(Path(sys.argv[1]), ENVIRONMENT), False, [])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(app, log_level="warning", server_header=False)
        print(listener.getsockname()[1], flush=True)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
