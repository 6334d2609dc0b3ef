"""Every operation of the interface, in the order of its description."""

from __future__ import annotations

from vaultd.bridge.operation import Operation
from vaultd.bridge.routes import (
    checking,
    finding,
    folders,
    following,
    knowledge_base,
    looking,
    queueing,
    reviewing,
    talking,
    versions,
)

OPERATIONS: tuple[Operation, ...] = (
    *looking.OPERATIONS,
    *queueing.OPERATIONS,
    *following.OPERATIONS,
    *finding.OPERATIONS,
    *talking.OPERATIONS,
    *reviewing.OPERATIONS,
    *versions.OPERATIONS,
    *checking.OPERATIONS,
    *folders.OPERATIONS,
    *knowledge_base.OPERATIONS,
)
