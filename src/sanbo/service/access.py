"""Who is calling, the person at this machine or the bearer of a token, and what is whose."""

import hashlib
import ipaddress
import json
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from sanbo.kernel.problems import Conflict, InvalidInput, NotFound, PermissionDenied
from sanbo.runs.model import LOCAL_OWNER, Question
from sanbo.storage.database import Database
from sanbo.storage.tables import tokens

if TYPE_CHECKING:
    from sanbo.runs.journal import Journal

OPERATOR_ROLE = "operator"
_NAME = re.compile(r"[\w.-]{1,60}")


@dataclass(frozen=True)
class Caller:
    """Sees the runs of its owner; the operator at the command line sees all."""

    owner: str
    sees_all: bool = False
    roles: frozenset[str] = frozenset()
    token_hash: str = field(default="", repr=False, compare=False)
    """Of the token it came with; none for the person at this machine."""

    @property
    def is_local(self) -> bool:
        """The person at this machine, in the browser or at the command line; no token's bearer."""
        return self.owner == LOCAL_OWNER

    @property
    def operates(self) -> bool:
        """Sees how the system stands; what others work on, no more than anybody."""
        return self.is_local or OPERATOR_ROLE in self.roles

    @property
    def who(self) -> frozenset[str]:
        """As questions are addressed."""
        return frozenset({f"user:{self.owner}", *(f"role:{role}" for role in self.roles)})

    def owns(self, owner: str) -> bool:
        return self.sees_all or owner == self.owner


LOCAL = Caller(LOCAL_OWNER)
OPERATOR = Caller(LOCAL_OWNER, sees_all=True)


@dataclass(frozen=True)
class TokenInfo:
    name: str
    created_at: float
    roles: tuple[str, ...] = ()


class Access:
    """Tokens, stored as hashes: what is shown once at creation can't be read again."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def create_token(self, name: str, roles: Sequence[str] = ()) -> str:
        for given in (name, *roles):
            if not _NAME.fullmatch(given) or name == LOCAL_OWNER:
                raise InvalidInput("token_name", name=given)
        token = f"sanbo_{secrets.token_urlsafe(32)}"
        with self.database.write() as connection:
            known = sa.select(tokens.c.name).where(tokens.c.name == name)
            if connection.execute(known).one_or_none() is not None:
                raise Conflict("token_exists", name=name)
            connection.execute(
                sa.insert(tokens),
                {
                    "name": name,
                    "hash": _hash(token),
                    "created_at": time.time(),
                    "roles": json.dumps(sorted(set(roles)), ensure_ascii=False),
                },
            )
        return token

    def list_tokens(self) -> list[TokenInfo]:
        query = sa.select(tokens).order_by(tokens.c.name)
        with self.database.read() as connection:
            return [
                TokenInfo(row.name, row.created_at, tuple(json.loads(row.roles)))
                for row in connection.execute(query)
            ]

    def revoke_token(self, name: str) -> None:
        with self.database.write() as connection:
            revoked = connection.execute(sa.delete(tokens).where(tokens.c.name == name))
        if revoked.rowcount == 0:
            raise NotFound("token_not_found", name=name)

    def authenticate(self, token: str) -> Caller:
        """The caller that bears this token."""
        # Looked up by its hash: how long that takes tells nothing about the token.
        token_hash = _hash(token)
        query = sa.select(tokens.c.name, tokens.c.roles).where(tokens.c.hash == token_hash)
        with self.database.read() as connection:
            known = connection.execute(query).one_or_none()
        if known is None:
            raise PermissionDenied("token_wrong")
        return Caller(known.name, roles=frozenset(json.loads(known.roles)), token_hash=token_hash)

    def answers_all(self, caller: Caller) -> bool:
        """The operator, and whoever is alone with the workbench: no token was ever given out."""
        return caller.sees_all or (caller.is_local and not self.list_tokens())

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


def may_answer(question: Question, caller: Caller) -> bool:
    """Whether a question is put to this caller, or to nobody in particular."""
    asked = {f"user:{name}" for name in question.assignees}
    asked |= {f"role:{name}" for name in question.roles}
    is_asked = not asked or not asked.isdisjoint(caller.who)
    return is_asked and caller.owner not in question.not_by


class RunGuard:
    """Whose a run is: a caller sees its own, and what it was asked something in."""

    def __init__(
        self, access: Access, journal: "Journal", io: Callable[..., Awaitable[Any]]
    ) -> None:
        self._access = access
        self._journal = journal
        self._io = io

    async def check_visible(self, caller: Caller, run_id: str) -> None:
        """By its owner, and by whomever it has asked something."""
        await self.check_sees(caller, run_id, await self._io(self._journal.owner, run_id))

    async def check_sees(self, caller: Caller, run_id: str, owner: str | None) -> None:
        """`owner`: of the run, None where there is none."""
        if owner is not None and caller.owns(owner):
            return
        # The same answer for a run that is somebody else's and for one that is not there.
        if owner is None or not await self._io(self._journal.is_asked, run_id, caller.who):
            raise NotFound("run_not_found", run_id=run_id)

    async def check_own(self, caller: Caller, run_id: str) -> None:
        """Who is asked something in a run may not end, repeat or remove it."""
        await self.check_visible(caller, run_id)
        owner = await self._io(self._journal.owner, run_id)
        if owner is not None and not caller.owns(owner):
            raise PermissionDenied("run_not_yours", owner=owner)

    async def check_conversation(self, caller: Caller, conversation_id: str) -> None:
        owners = await self._io(self._journal.owners_of_conversation, conversation_id)
        # Nor does the operator go on in somebody else's conversation: it would be in two hands.
        if owners != {caller.owner}:
            raise NotFound("conversation_not_found", conversation_id=conversation_id)

    async def check_addressee(self, caller: Caller, asked: Question) -> None:
        if may_answer(asked, caller) or await self._io(self._access.answers_all, caller):
            return
        people = "、".join((*asked.assignees, *asked.roles))
        if caller.owner in asked.not_by:
            raise PermissionDenied("answer_by_another", people=people)
        raise PermissionDenied("answer_not_yours", people=people)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
