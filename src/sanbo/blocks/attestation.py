"""`security.attestation.sign_manifest`: a manifest signed with a key of the environment."""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from typing_extensions import override

from sanbo.blocks.block import EngineBlock, EngineContext, Given
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.runs.model import JsonObject

SIGNATURE = "_signature"
_FEWEST_BITS = 2048
_SEED_BYTES = 32


class SignManifest(EngineBlock[Given]):
    @override
    async def run(self, given: Given, context: EngineContext) -> Mapping[str, Any]:
        manifest: JsonObject = {
            name: value for name, value in given.manifest.items() if name != SIGNATURE
        }
        key = _key(context.variable(given.key_ref), given.key_ref, given.algo)
        signed = signed_bytes(manifest)
        # Both give the same for the same: a run that is repeated signs alike.
        made = (
            key.sign(signed, PKCS1v15(), SHA256())
            if isinstance(key, RSAPrivateKey)
            else key.sign(signed)
        )
        signature = base64.b64encode(made).decode()
        told = {"algo": given.algo, "key_ref": given.key_ref, "sig": signature}
        return {"signature": signature, "signed_manifest": {**manifest, SIGNATURE: told}}


def signed_bytes(manifest: JsonObject) -> bytes:
    """What the signature is of: UTF-8 JSON without spaces, its keys in order."""
    text = json.dumps(manifest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode()


def _key(value: str | None, name: str, algo: str) -> Ed25519PrivateKey | RSAPrivateKey:
    if not value or not value.strip():
        raise NotFound("signing_key_missing", name=name)
    key = _read(value.strip().replace("\\n", "\n"), name)
    if not isinstance(key, RSAPrivateKey if algo == "rsa" else Ed25519PrivateKey):
        raise InvalidInput("signing_key_kind", name=name, algo=algo)
    if isinstance(key, RSAPrivateKey) and key.key_size < _FEWEST_BITS:
        raise InvalidInput("signing_key_short", name=name, bits=_FEWEST_BITS)
    return key


def _read(written: str, name: str) -> object:
    """PEM, or the 32 bytes of an ed25519 key as Base64."""
    try:
        if written.startswith("-----"):
            return load_pem_private_key(written.encode(), password=None)
        seed = base64.b64decode(written, validate=True)
        if len(seed) == _SEED_BYTES:
            return Ed25519PrivateKey.from_private_bytes(seed)
    except (ValueError, TypeError, binascii.Error, UnsupportedAlgorithm):
        pass  # what the library says may quote the key
    raise InvalidInput("signing_key_unreadable", name=name)
