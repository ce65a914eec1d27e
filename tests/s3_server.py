"""A real server that speaks S3, on loopback; credentials and address in the environment."""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from botocore.session import Session
from moto.server import ThreadedMotoServer

KEY_ID, SECRET = "TESTKEYID0123456789A", "test-secret-that-nobody-may-see"
BUCKET = "sanbo-files"


@dataclass(frozen=True)
class S3Server:
    url: str
    client: Any

    def stored(self) -> list[str]:
        found = self.client.list_objects_v2(Bucket=BUCKET).get("Contents", [])
        return [each["Key"] for each in found]

    def unfinished(self) -> list[str]:
        found = self.client.list_multipart_uploads(Bucket=BUCKET).get("Uploads", [])
        return [each["Key"] for each in found]

    def check_credentials(self) -> None:
        """From now on; nobody has any that count."""
        httpx.post(f"{self.url}/moto-api/reset-auth", content=b"0").raise_for_status()


@contextmanager
def s3_address() -> Generator[str]:
    """Of a server that starts once for many tests."""
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


@contextmanager
def s3_server(url: str, monkeypatch: pytest.MonkeyPatch) -> Generator[S3Server]:
    """Empty but for the bucket, for one test."""
    for name, value in {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": KEY_ID,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    try:
        httpx.post(f"{url}/moto-api/reset").raise_for_status()
        session: Any = Session()
        client = session.create_client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        yield S3Server(url, client)
    finally:
        httpx.post(f"{url}/moto-api/reset-auth", content=b"inf")
