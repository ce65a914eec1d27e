from collections.abc import Generator

import pytest
import sqlalchemy as sa

from sanbo.kernel.problems import Conflict, InvalidInput, NotFound, PermissionDenied
from sanbo.service.access import Access, Caller, is_loopback
from sanbo.settings import Settings
from sanbo.storage.database import open_database
from sanbo.storage.tables import tokens


@pytest.fixture
def access(settings: Settings) -> Generator[Access]:
    database = open_database(settings)
    yield Access(database)
    database.close()


def test_a_token_opens_its_own_runs_and_is_stored_only_as_a_hash(access: Access) -> None:
    token = access.create_token("経理部")
    assert access.authenticate(token) == Caller("経理部")
    with access.database.read() as connection:
        stored = str(connection.execute(sa.select(tokens)).all())
    assert token not in stored
    assert token.removeprefix("sanbo_") not in stored


def test_a_wrong_or_revoked_token_opens_nothing(access: Access) -> None:
    token = access.create_token("soumu")
    for wrong in ("", "sanbo_", token[:-1], token + "x", token.upper()):
        with pytest.raises(PermissionDenied):
            access.authenticate(wrong)
    access.revoke_token("soumu")
    with pytest.raises(PermissionDenied):
        access.authenticate(token)
    with pytest.raises(NotFound):
        access.revoke_token("soumu")


def test_a_name_is_taken_once_and_must_be_a_name(access: Access) -> None:
    access.create_token("keiri")
    with pytest.raises(Conflict):
        access.create_token("keiri")
    for name in ("", "local", "a b", "../x", "x" * 61):
        with pytest.raises(InvalidInput):
            access.create_token(name)
    assert [token.name for token in access.list_tokens()] == ["keiri"]


def test_only_loopback_needs_no_token(access: Access) -> None:
    for host in ("127.0.0.1", "127.8.9.10", "::1", "localhost"):
        assert is_loopback(host)
        assert access.require_token_for(host) is False
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.test", ""):
        with pytest.raises(PermissionDenied) as refused:
            access.require_token_for(host)
        assert "sanbo token create" in refused.value.problem.hint
    access.create_token("keiri")
    assert access.require_token_for("0.0.0.0") is True
