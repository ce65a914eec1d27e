"""What resolvers work with: the workbench, and who is asking."""

from dataclasses import dataclass

import strawberry

from sanbo.service.access import Caller
from sanbo.service.workbench import Workbench


@dataclass(frozen=True)
class Asking:
    workbench: Workbench
    caller: Caller


Info = strawberry.Info[Asking, None]
