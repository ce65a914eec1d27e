"""The blocks that plans are made of, with their ports: what an editor offers and explains."""

import asyncio

from fastapi import APIRouter
from pydantic import BaseModel

from sanbo.api.dependencies import Bench, Who
from sanbo.service import blocks
from sanbo.service.blocks import BlockDetail

router = APIRouter(prefix="/blocks", tags=["plans"])


class BlockCatalogue(BaseModel):
    blocks: tuple[BlockDetail, ...]
    env: tuple[str, ...]
    """The environment variables that a plan may read; names alone."""


@router.get("")
async def list_blocks(bench: Bench, who: Who) -> BlockCatalogue:
    """All, each in its newest version."""
    _ = who
    settings = bench.settings
    found = await asyncio.to_thread(blocks.describe_blocks, settings.workspace)
    return BlockCatalogue(blocks=found, env=settings.plans.env)
