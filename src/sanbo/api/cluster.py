"""How the cluster stands; for who is at this machine or operates it."""

from fastapi import APIRouter

from sanbo.api.dependencies import Bench, Who
from sanbo.kernel.problems import PermissionDenied
from sanbo.service.access import OPERATOR_ROLE
from sanbo.service.cluster_status import ClusterStatus

router = APIRouter(tags=["cluster"])


@router.get("/cluster")
async def show_cluster(bench: Bench, who: Who) -> ClusterStatus:
    """Workers, the queue by owner and workflow, and how much gets done. Without a cluster, the
    queue alone."""
    if not who.operates:
        raise PermissionDenied("cluster_refused", role=OPERATOR_ROLE)
    return await bench.cluster_status()
