"""Named points at which a test can have the process die as by kill -9."""

from __future__ import annotations

import os
import signal

CRASH_VARIABLE = "VAULTD_CRASH_AT"  # "name": dies there; "name#3": at the third passing

passed: dict[str, int] = {}  # how often each point was passed while the variable was set


def crash_point(name: str) -> None:
    """Die here if the environment asks for it, as the machine might at any moment."""
    wanted = os.environ.get(CRASH_VARIABLE)
    if wanted is None:
        return
    passed[name] = passed.get(name, 0) + 1
    if wanted in (name, f"{name}#{passed[name]}"):
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
