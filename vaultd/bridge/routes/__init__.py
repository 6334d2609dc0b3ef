"""Every operation of the interface, in the order of its description."""

from __future__ import annotations

from vaultd.bridge.operation import Operation
from vaultd.bridge.routes import finding, following, looking, queueing

OPERATIONS: tuple[Operation, ...] = (
    *looking.OPERATIONS,
    *queueing.OPERATIONS,
    *following.OPERATIONS,
    *finding.OPERATIONS,
)
