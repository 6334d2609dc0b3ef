"""A child process that embeds, so that the tokenizer's pure Python never holds up the daemon.

Started as `python -m vaultd.embed.child`. Frames both ways: four bytes of length, big endian,
then a JSON list of texts in, float32 rows out. The end of input ends the process, so it cannot
outlive its parent. An empty reply says that the encoder cannot be had; the reason is on stderr.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock
from typing import IO

import numpy as np
from numpy.typing import NDArray

from vaultd.embed import weights
from vaultd.errors import TransientError

NICE = 5  # of 19, above zero: less than a converter's, since questions are embedded here, too
_ONE_THREAD = {
    name: "1"
    for name in (
        "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
    )
}  # fmt: skip


class Child:
    """The parent's end. Calls are serialized; a child that died is started again at the next."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = Lock()
        self._closed = False

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector for each text.

        Raises:
            EncoderMissingError: the encoder is not there, or not the one that was checked.
            TransientError: the child died (the next call starts another one) or was closed.
        """
        with self._lock:
            if self._closed:
                raise TransientError("The embedder was closed.")
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                write_frame(process.stdin, json.dumps(list(texts)).encode())
                reply = read_frame(process.stdout)
            except OSError:
                reply = None
            if reply:
                return np.frombuffer(reply, dtype="<f4").reshape(len(texts), -1)
            refused = reply is not None
            self._end()
        if refused:
            weights.check()
        raise TransientError("The embedder's process ended before it answered.")

    def close(self) -> None:
        """End the child for good; who waits for its answer gets none."""
        self._closed = True
        if (process := self._process) is not None:
            process.kill()
        with self._lock:
            self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "vaultd.embed.child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **_ONE_THREAD},
            )
            _give_way(self._process.pid)
        return self._process

    def _end(self) -> None:
        if self._process is None:
            return
        process, self._process = self._process, None
        # A request that a dead child never read is still to be flushed when its pipe is closed.
        with suppress(BrokenPipeError), process:
            process.kill()


def _give_way(process: int) -> None:
    """Lower the priority of a child: indexing a vault is no reason to let anybody wait."""
    if sys.platform != "win32":  # which has classes instead
        nice = max(NICE, os.getpriority(os.PRIO_PROCESS, 0))
        with suppress(ProcessLookupError):
            os.setpriority(os.PRIO_PROCESS, process, nice)


def write_frame(pipe: IO[bytes], content: bytes) -> None:
    """Write one frame and flush it."""
    pipe.write(len(content).to_bytes(4, "big") + content)
    pipe.flush()


def read_frame(pipe: IO[bytes]) -> bytes | None:
    """Read one frame, None when the other side is gone."""
    head = pipe.read(4)
    if len(head) < 4:
        return None
    size = int.from_bytes(head, "big")
    content = pipe.read(size)
    return content if len(content) == size else None


def main() -> None:
    """Answer until the input ends."""
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    while (frame := read_frame(requests)) is not None:
        try:
            reply = weights.encode(json.loads(frame)).astype("<f4").tobytes()
        except weights.EncoderMissingError as error:
            print(error, file=sys.stderr)  # noqa: T201 - a process of its own
            reply = b""
        write_frame(replies, reply)


if __name__ == "__main__":
    main()
