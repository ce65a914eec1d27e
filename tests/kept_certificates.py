"""The machine's certificates, read once: each HTTP client would read all of them again.

That takes fifty milliseconds, in each of a thousand clients that speak to loopback without TLS.
"""

import os
import ssl
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

import certifi
import pytest

_create = ssl.create_default_context


@cache
def _kept(cafile: str) -> ssl.SSLContext:
    return _create(cafile=cafile)


def _create_default_context(
    purpose: ssl.Purpose = ssl.Purpose.SERVER_AUTH,
    *,
    cafile: str | None = None,
    capath: str | None = None,
    cadata: str | bytes | None = None,
) -> ssl.SSLContext:
    usual = cafile in (certifi.where(), os.environ.get("SSL_CERT_FILE"))
    if cafile and usual and purpose is ssl.Purpose.SERVER_AUTH and not cadata:
        return _kept(cafile)
    return _create(purpose, cafile=cafile, capath=capath, cadata=cadata)


@contextmanager
def kept() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", _create_default_context)
        yield
