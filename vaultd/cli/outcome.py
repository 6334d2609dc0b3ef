"""Exit codes; the only place where they are numbers."""

from __future__ import annotations

FAILED = 1
MISUSED = 2  # usage or settings: nothing was started
DEGRADED = 3  # done, but something is waiting, parked or degraded
INTERRUPTED = 130  # by Ctrl-C; what was stored stays, the rest is due at the next start
