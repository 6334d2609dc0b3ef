"""Names of files, kept apart by type so that they cannot be mixed up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NewType

VaultPath = NewType("VaultPath", str)
"""Path below the vault root, with "/", spelt as the disk spells it; folders without a final "/"."""

SourceId = NewType("SourceId", str)
"""Source identity: the path below `raw/`, with "/", in Unicode normal form C."""

Clock = Callable[[], datetime]
"""Gives the present moment in UTC; only the command line reads the real one."""
