"""Who is calling: on loopback the person at this machine, elsewhere the bearer of a token."""

import hashlib
import ipaddress
import re
import secrets
import time
from collections.abc import Collection
from dataclasses import dataclass, field

import sqlalchemy as sa

from sanbo.kernel.problems import Conflict, InvalidInput, NotFound, PermissionDenied
from sanbo.runs.model import LOCAL_OWNER
from sanbo.storage.database import Database
from sanbo.storage.tables import tokens

_NAME = re.compile(r"[\w.-]{1,60}")


@dataclass(frozen=True)
class Caller:
    """Sees the runs of its owner; the operator at the command line sees all."""

    owner: str
    sees_all: bool = False
    token_hash: str = field(default="", repr=False, compare=False)
    """Of the token it came with; none for the person at this machine."""

    @property
    def is_local(self) -> bool:
        """The person at this machine, in the browser or at the command line; no token's bearer."""
        return self.owner == LOCAL_OWNER

    def may_see(self, owner: str) -> bool:
        return self.sees_all or owner == self.owner


LOCAL = Caller(LOCAL_OWNER)
OPERATOR = Caller(LOCAL_OWNER, sees_all=True)


@dataclass(frozen=True)
class TokenInfo:
    name: str
    created_at: float


class Access:
    """Tokens, stored as hashes: what is shown once at creation can't be read again."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def create_token(self, name: str) -> str:
        if not _NAME.fullmatch(name) or name == LOCAL_OWNER:
            raise InvalidInput("token_name", name=name)
        token = f"sanbo_{secrets.token_urlsafe(32)}"
        with self.database.write() as connection:
            known = sa.select(tokens.c.name).where(tokens.c.name == name)
            if connection.execute(known).one_or_none() is not None:
                raise Conflict("token_exists", name=name)
            connection.execute(
                sa.insert(tokens),
                {"name": name, "hash": _hash(token), "created_at": time.time()},
            )
        return token

    def list_tokens(self) -> list[TokenInfo]:
        query = sa.select(tokens.c.name, tokens.c.created_at).order_by(tokens.c.name)
        with self.database.read() as connection:
            return [TokenInfo(row.name, row.created_at) for row in connection.execute(query)]

    def revoke_token(self, name: str) -> None:
        with self.database.write() as connection:
            revoked = connection.execute(sa.delete(tokens).where(tokens.c.name == name))
        if revoked.rowcount == 0:
            raise NotFound("token_not_found", name=name)

    def authenticate(self, token: str) -> Caller:
        """The caller that bears this token."""
        # Looked up by its hash: how long that takes tells nothing about the token.
        token_hash = _hash(token)
        query = sa.select(tokens.c.name).where(tokens.c.hash == token_hash)
        with self.database.read() as connection:
            name = connection.execute(query).scalar_one_or_none()
        if name is None:
            raise PermissionDenied("token_wrong")
        return Caller(name, token_hash=token_hash)

    def standing(self, token_hashes: Collection[str]) -> set[str]:
        """Those of these tokens that have not been revoked."""
        query = sa.select(tokens.c.hash).where(tokens.c.hash.in_(token_hashes))
        with self.database.read() as connection:
            return set(connection.execute(query).scalars())

    def require_token_for(self, host: str) -> bool:
        """Whether callers need one; a host others can reach refuses to start without any."""
        if is_loopback(host):
            return False
        if not self.list_tokens():
            raise PermissionDenied("token_required_to_bind", host=host)
        return True


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
