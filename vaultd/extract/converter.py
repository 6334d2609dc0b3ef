"""The daemon's side of conversion: children that may be killed, and what they answered."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import structlog

from vaultd.errors import TransientError
from vaultd.extract import wire
from vaultd.extract.waiting import Deadline, Turn
from vaultd.model.document import ExtractedImage, ExtractedPage, Extraction, ExtractStatus

log = structlog.get_logger()

SLOW_CHILDREN = 2  # children beside the quick ones, for documents that take their time
NICE = 10  # of 19, above zero: the priority of a child


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may take. Seconds are of the wall clock, and of the processor too.

    On a busy machine, where a child waits for the processor most of the time, it has `most`.
    The memory is address space: text needs 0.1 GiB, the largest pictures met 0.3 GiB.
    `slow` is how long a document may hold up the next one: after that, another child is
    started beside it.
    """

    memory: int = 1024**3
    base: float = 30.0
    per_page: float = 0.5
    most: float = 300.0
    slow: float = 1.0
    documents: int = 200  # a child is replaced after so many, and above so much memory:
    resident_kilobytes: int = 400 * 1024


class ChildFailedError(Exception):
    """The child died, hung or spoke nonsense; the message says so to the person."""


class Child:
    """One child process, working on one document at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.documents = 0
        self.resident_kilobytes = 0
        self._ticks = 0  # of the processor, at the last look

    @classmethod
    async def start(cls, command: Sequence[str]) -> Child:
        """Start `command` in its own process group, with an environment that holds no secret.

        It gives way to whoever waits for an answer, from its imports on. In a session of its own
        it would not: Linux shares processors between sessions first.
        """
        kept = ("PATH", "HOME", "LANG", "TMPDIR", "TEMP", "SYSTEMROOT", "PYTHONPATH", "VIRTUAL_ENV")
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            process_group=0,
            limit=1024 * 1024,
            env={name: os.environ[name] for name in kept if name in os.environ}
            | {"OMP_NUM_THREADS": "1"},
        )
        if sys.platform != "win32":  # which has classes instead
            nice = max(NICE, os.getpriority(os.PRIO_PROCESS, 0))
            with contextlib.suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, process.pid, nice)
        return cls(process)

    async def frames(self, request: bytes) -> AsyncIterator[tuple[dict[str, Any], bytes]]:
        """Send `request` and give the frames of the answer, the last one being `DONE`.

        Raises:
            ChildFailedError: the child is gone, or what it says is not a frame.
        """
        assert self._process.stdin is not None
        self.documents += 1
        try:
            self._process.stdin.write(request)
            await self._process.stdin.drain()
            while True:
                fields, data = await self._frame()
                yield fields, data
                if fields["frame"] == wire.DONE:
                    self.resident_kilobytes = int(fields["rss"])
                    return
        except (OSError, asyncio.IncompleteReadError) as error:
            raise ChildFailedError(await self._epitaph()) from error
        except (ValueError, KeyError, TypeError) as error:
            raise ChildFailedError("The converter's answer makes no sense.") from error

    async def _frame(self) -> tuple[dict[str, Any], bytes]:
        assert self._process.stdout is not None
        lengths = await self._process.stdout.readexactly(wire.LENGTHS.size)
        head, data = wire.LENGTHS.unpack(lengths)
        if head + data > wire.FRAME_LIMIT:
            raise ChildFailedError("The file gives more than a document may give.")
        fields = json.loads(await self._process.stdout.readexactly(head))
        if not isinstance(fields, dict):
            raise TypeError("not a frame")
        return fields, await self._process.stdout.readexactly(data) if data else b""

    async def _epitaph(self) -> str:
        code = await self._process.wait()
        if code == -getattr(signal, "SIGXCPU", 0):
            return "The file takes too long to read."
        name = signal.Signals(-code).name if code < 0 else f"code {code}"
        return f"The converter died on this file ({name})."

    async def kill(self) -> None:
        """End the child and whatever it started, at once."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()
        await self._empty()

    async def _empty(self) -> None:
        """Read what the child left in its pipe, which is open until then."""
        if self._process.stdout is not None:
            with contextlib.suppress(RuntimeError, TimeoutError):  # another reads, or holds it
                await asyncio.wait_for(self._process.stdout.read(), timeout=1.0)

    def starves(self, seconds: float) -> bool:
        """Tell whether the child wants the processor, and had it for less than half of `seconds`.

        Counted since the question was asked before. Where the system does not say, it does not.
        """
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                about = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2]
                fields = about.split()
                ticks = int(fields[11]) + int(fields[12])  # in user and system mode
                had, self._ticks = (ticks - self._ticks) / os.sysconf("SC_CLK_TCK"), ticks
                return fields[0] == "R" and had < seconds / 2
        return False


class Answer:
    """Puts the frames of one document together; what has arrived is never lost."""

    def __init__(self) -> None:
        self.extraction: Extraction | None = None
        self.kind = ""
        self.page = b""
        self.fault = ""
        self._images: list[ExtractedImage] = []

    def take(self, fields: dict[str, Any], data: bytes) -> None:
        """Take in one frame."""
        match fields["frame"]:
            case wire.BEGIN:
                self.kind = str(fields["kind"])
            case wire.TEXT:
                self.extraction = _extraction(fields)
            case wire.UPDATE:
                self._update(fields)
            case wire.PAGE:
                self.page = data
            case wire.IMAGE if len(self._images) < wire.PICTURE_LIMIT:
                described = {name: fields[name] for name in wire.IMAGE_FIELDS}
                self._images.append(ExtractedImage(**described, data=data))

    def _update(self, fields: dict[str, Any]) -> None:
        self.fault = str(fields.get("fault", ""))
        if self.extraction is None:
            self.extraction = failed(self.kind, str(fields["reason"]), fields["status"])
            return
        if "texts" not in fields:  # the text is there, what came after it failed
            self.extraction = _cut_short(self.extraction, str(fields["reason"]))
            return
        new = zip(self.extraction.pages, fields["texts"], fields["transcribed_by"], strict=True)
        self.extraction = replace(
            self.extraction,
            pages=tuple(
                replace(page, text=str(text), transcribed_by=str(reader))
                for page, text, reader in new
            ),
            **_judgement(fields),
        )

    def result(self, trouble: str = "") -> Extraction:
        """Return what there is; `trouble` says why no more came."""
        if self.extraction is None:
            return failed(self.kind, trouble or "The converter gave no text.")
        extraction = replace(self.extraction, images=tuple(self._images))
        return _cut_short(extraction, trouble) if trouble else extraction


def failed(kind: str, reason: str, status: ExtractStatus = ExtractStatus.FAILED) -> Extraction:
    """Return the extraction of a file that gave nothing."""
    return Extraction(kind, ExtractStatus(status), "", (), reason=reason)


def _cut_short(extraction: Extraction, trouble: str) -> Extraction:
    warning = f"The text is there, but not every picture: {trouble}"
    return replace(extraction, warnings=(*extraction.warnings, warning))


def _extraction(fields: dict[str, Any]) -> Extraction:
    return Extraction(
        kind=str(fields["kind"]),
        pages=tuple(
            ExtractedPage(number, text, hidden) for number, text, hidden in fields["pages"]
        ),
        metadata=dict(fields["metadata"]),
        **_judgement(fields),
    )


def _judgement(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "status": ExtractStatus(fields["status"]),
        "reason": str(fields["reason"]),
        "language": str(fields["language"]),
        "warnings": tuple(map(str, fields["warnings"])),
        "scans": tuple(map(int, fields.get("scans", ()))),
    }


class Converter:
    """Converts files in long-lived child processes, at most `parallel` quick ones at a time.

    A child that dies or exceeds `limits` is killed and costs the file it was reading; a healthy one
    is used again. A slow document gives its turn to the next after `limits.slow` seconds, so
    that one hanging file does not hold up the others. Without `recognise` scanned pages are left
    to others, whether the extra `ocr` is installed or not.
    """

    def __init__(
        self,
        *,
        parallel: int = 1,
        limits: Limits = Limits(),
        command: Sequence[str] | None = None,
        recognise: bool = True,
    ) -> None:
        self._limits = limits
        self._recognise = recognise
        self._command = tuple(command or child_command(limits))
        self._turns = asyncio.Semaphore(parallel)
        self._places = asyncio.Semaphore(parallel + SLOW_CHILDREN)
        self._idle: list[Child] = []
        self._busy: set[Child] = set()
        self._closed = False

    async def convert(self, path: Path, *, pictures: bool) -> Extraction:
        """Return what is in the file at `path`; a failure of any kind is a result, not an error.

        With `pictures` the images carry their bytes and the text places them. Cancelling kills
        the child that reads the file.

        Raises:
            TransientError: the converter was closed meanwhile.
        """
        request = wire.request_line(str(path), pictures=pictures, recognise=self._recognise)
        answer, trouble = await self._answer(path, request)
        return answer.result(trouble)

    async def page_picture(self, path: Path, index: int) -> bytes:
        """Return page `index` (from 0) of the file at `path` as a JPEG, b"" if it has none.

        Raises:
            TransientError: the converter was closed meanwhile.
        """
        answer, _ = await self._answer(path, wire.picture_line(str(path), index))
        return answer.page

    @property
    def resident_kilobytes(self) -> int:
        """The most memory a waiting child had in use after its last document."""
        return max((child.resident_kilobytes for child in self._idle), default=0)

    async def close(self) -> None:
        """Kill every child. Safe to call twice."""
        self._closed = True
        for child in (*self._idle, *self._busy):
            await child.kill()
        self._idle.clear()

    async def _answer(self, path: Path, request: bytes) -> tuple[Answer, str]:
        """Return what a child answered, and why no more came ("" if it is whole)."""
        async with self._places, Turn(self._turns, self._limits.slow):
            return await self._asked(path, request)

    async def _asked(self, path: Path, request: bytes) -> tuple[Answer, str]:
        child = self._idle.pop() if self._idle else await Child.start(self._command)
        self._busy.add(child)
        answer = Answer()
        healthy = False
        try:
            await self._listen(child, request, answer)
            healthy = True
            if answer.fault:
                log.info("file not read", name=path.name, fault=answer.fault)
        except TimeoutError:
            return answer, self._trouble(path, "The file takes too long to read.")
        except ChildFailedError as error:
            return answer, self._trouble(path, str(error))
        finally:
            self._busy.discard(child)
            if healthy and not self._worn(child):
                self._idle.append(child)
            else:
                await child.kill()
        return answer, ""

    def _trouble(self, path: Path, trouble: str) -> str:
        if self._closed:
            raise TransientError("The converter was closed.")
        log.warning("converter killed", name=path.name, reason=trouble)
        return trouble

    async def _listen(self, child: Child, request: bytes, answer: Answer) -> None:
        """Take in the answer, with the time its pages and steps allow."""
        async with asyncio.timeout(None) as clock:
            deadline = Deadline(clock, child.starves, self._limits.most)
            deadline.allow(self._limits.base)
            try:
                async for fields, data in child.frames(request):
                    answer.take(fields, data)
                    if fields["frame"] == wire.BEGIN:
                        more = self._limits.per_page * int(fields["pages"])
                        deadline.allow(self._limits.base + more)
                    elif fields["frame"] == wire.STEP:
                        deadline.allow(float(fields["seconds"]))
            finally:
                deadline.over()

    def _worn(self, child: Child) -> bool:
        return (
            child.documents >= self._limits.documents
            or child.resident_kilobytes > self._limits.resident_kilobytes
        )


def child_command(limits: Limits) -> list[str]:
    """Return the command of the real child; `-P` keeps the working folder off its path."""
    arguments = [str(limits.memory), str(int(limits.most) + 5)]
    return [sys.executable, "-P", "-m", "vaultd.extract.child", *arguments]
