"""`security.attestation.sign_manifest`: whoever has the public key can check it, nobody the key."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from sanbo.runs.model import Run, Status
from sanbo.service.workbench import Workbench
from tests.workflows.planning import everything_written, exports, on_bench, run, settings_of

KEYS = {
    "ed25519": ed25519.Ed25519PrivateKey.generate(),
    "rsa": rsa.generate_private_key(public_exponent=65537, key_size=2048),
}
ALLOWED = {"SANBO_PLANS__ENV": json.dumps(["SIGNING_KEY", "OTHER_KEY"])}
MANIFEST: dict[str, Any] = {"b": [1, {"z": "領収書", "a": None}], "a": "x"}
SIGNED = '{"a":"x","b":[1,{"a":null,"z":"領収書"}]}'.encode()


def _pem(key: Any) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def _signed(workspace: Path, given: dict[str, Any]) -> Run:
    node = {"id": "s", "block": "security.attestation.sign_manifest", "in": given}
    made = [{"from": f"s.{port}", "as": port} for port in ("signature", "signed_manifest")]
    text = json.dumps({"id": "p", "version": "1.0.0", "graph": [node], "exports": made})

    async def work(bench: Workbench) -> Run:
        return await run(bench, text)

    return on_bench(settings_of(workspace, **ALLOWED), work)


@pytest.mark.parametrize(
    ("algo", "spelled"), [("ed25519", "pem"), ("ed25519", "seed"), ("rsa", "pem"), ("rsa", "line")]
)
def test_a_signature_is_checked_with_the_public_key_and_the_key_is_nowhere(
    algo: str,
    spelled: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    key: Any = KEYS[algo]
    written = _pem(key)
    if spelled == "seed":
        written = base64.b64encode(key.private_bytes_raw()).decode()
    elif spelled == "line":
        written = written.replace("\n", "\\n")
    monkeypatch.setenv("SIGNING_KEY", written)
    given = {"algo": algo} if algo == "rsa" else {}  # ed25519 and SIGNING_KEY are the defaults
    ended = _signed(tmp_path, {"manifest": {**MANIFEST, "_signature": "earlier"}, **given})
    assert ended.status is Status.SUCCEEDED, ended.problem
    made: Any = exports(ended)
    told = {"algo": algo, "key_ref": "SIGNING_KEY", "sig": made["signature"]}
    assert made["signed_manifest"] == {**MANIFEST, "_signature": told}
    signature, how = base64.b64decode(made["signature"]), (padding.PKCS1v15(), SHA256())
    key.public_key().verify(signature, SIGNED, *(how if algo == "rsa" else ()))
    lines = [line for line in written.replace("\\n", "\n").splitlines() if "-----" not in line]
    files = everything_written(tmp_path)
    assert not [line for line in lines if line in caplog.text or line in files]


@pytest.mark.parametrize(
    ("value", "given", "problem"),
    [
        ("", {}, "signing_key_missing"),
        ("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw-broken\n", {}, "signing_key_unreadable"),
        (_pem(KEYS["rsa"]), {}, "signing_key_kind"),
        (_pem(KEYS["ed25519"]), {"key_ref": "NOT_ALLOWED"}, "plan_env_refused"),
        (_pem(KEYS["ed25519"]), {"key_ref": "OTHER_KEY"}, "signing_key_missing"),
        (
            _pem(rsa.generate_private_key(public_exponent=65537, key_size=1024)),
            {"algo": "rsa"},
            "signing_key_short",
        ),
    ],
)
def test_a_key_that_can_not_sign_is_a_problem(
    value: str,
    given: dict[str, str],
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIGNING_KEY", value)
    ended = _signed(tmp_path, {"manifest": MANIFEST, **given})
    assert ended.problem is not None
    assert ended.problem.text_id == problem
