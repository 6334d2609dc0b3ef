"""The converter's child process: reads one file after another under limits.

It may be killed at any moment, holds no keys, writes no file and reaches no network.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO

from vaultd.extract import recognition, wire
from vaultd.extract.album import Album
from vaultd.extract.content import Content, PageText, UnreadableError, because, settled
from vaultd.extract.raster import picture_of
from vaultd.extract.readers import content_of, page_picture
from vaultd.extract.sniff import kind_of
from vaultd.extract.verdict import Verdict, verdict
from vaultd.model.document import ExtractStatus

if sys.platform != "win32":  # where the wall clock is the only limit
    import resource

FORBIDDEN = ("socket.connect", "socket.getaddrinfo", "socket.gethostby", "subprocess.", "os.exec")


def main() -> None:
    """Answer requests from standard input until it ends."""
    memory, cpu = int(sys.argv[1]), int(sys.argv[2])
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not mix with the answers
    sys.addaudithook(_refuse_the_world)
    _limit("RLIMIT_AS", memory)
    _limit("RLIMIT_CORE", 0)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        _limit("RLIMIT_CPU", math.ceil(_cpu_seconds()) + cpu)
        path = Path(request["path"])
        if "draw" in request:
            answer_picture(path, answers, request["draw"])
        else:
            answer(path, answers, pictures=request["pictures"], recognise=request["recognise"])


def _refuse_the_world(event: str, _: object) -> None:
    """Stop any attempt to reach another machine or to start a program."""
    if event.startswith(FORBIDDEN):
        raise PermissionError(f"a converter must not use {event}")


def _limit(name: str, value: int) -> None:
    """Lower the soft limit `name` to `value`; platforms without it go without."""
    if sys.platform != "win32" and hasattr(resource, name):
        number = getattr(resource, name)
        hard = resource.getrlimit(number)[1]
        wanted = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS refuses an address-space limit
            resource.setrlimit(number, (wanted, hard))


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system


def answer(path: Path, stream: BinaryIO, *, pictures: bool, recognise: bool = True) -> None:
    """Convert the file at `path` and write frames: text first, then what takes longer."""
    recognise = recognise and recognition.available()
    _guarded(lambda: _convert(path, stream, pictures=pictures, recognise=recognise), stream)


def answer_picture(path: Path, stream: BinaryIO, index: int) -> None:
    """Draw page `index` of the file at `path` and write it as one frame."""
    _guarded(lambda: wire.write_frame(stream, wire.PAGE, {}, page_picture(path, index)), stream)


def _guarded(work: Callable[[], None], stream: BinaryIO) -> None:
    """Do the work and say that it is done; what a hostile file raises becomes its failure."""
    try:
        work()
    except UnreadableError as error:
        _fail(stream, error.reason, error.__cause__, error.status)
    except MemoryError as error:
        _fail(stream, "The file needs more memory than a document may take.", error)
    except OSError as error:
        _fail(stream, f"The file cannot be read{because(error)}.", error)
    except Exception as error:  # noqa: BLE001 - a hostile file raises anything; it costs this file only
        _fail(stream, f"The file is damaged{because(error)}.", error)
    wire.write_frame(stream, wire.DONE, {"rss": _resident_kilobytes()})


def _fail(
    stream: BinaryIO,
    reason: str,
    cause: BaseException | None,
    status: ExtractStatus = ExtractStatus.FAILED,
) -> None:
    """Say what is wrong with the file, and to the log what raised it."""
    fault = "" if cause is None else f"{type(cause).__name__}: {cause}"
    fields = {"status": status, "reason": reason[:500], "fault": fault[:500]}
    wire.write_frame(stream, wire.UPDATE, fields)


def _convert(path: Path, stream: BinaryIO, *, pictures: bool, recognise: bool) -> None:
    kind = kind_of(path)
    wire.write_frame(stream, wire.BEGIN, {"kind": kind, "pages": 1})
    content = content_of(path, kind)
    content.recognises = recognise
    wire.write_frame(stream, wire.BEGIN, {"kind": kind, "pages": content.expected})
    pages = _within_limit(content.pages)
    judged = verdict(kind, content, _texts(pages, {}))
    wire.write_frame(stream, wire.TEXT, _text_frame(kind, content, pages, judged))
    if content.scans and recognise:
        _recognise(content, pages, stream)
        wire.write_frame(stream, wire.UPDATE, _update_frame(kind, content, pages, {}))
    if pictures:
        names = _send_pictures(content, stream)
        if names or content.warnings != judged.warnings:
            wire.write_frame(stream, wire.UPDATE, _update_frame(kind, content, pages, names))


def _within_limit(pages: Iterable[PageText]) -> list[PageText]:
    kept: list[PageText] = []
    size = 0
    for page in pages:
        size += len(page.text.encode("utf-8", "replace")) + len(page.hidden)
        if size > wire.TEXT_LIMIT:
            raise UnreadableError(
                ExtractStatus.FAILED, "The file holds more than 20 MB of text; split it."
            )
        kept.append(page)
    return kept


def _texts(pages: Iterable[PageText], names: dict[int, str]) -> list[str]:
    return [settled(page.text, names) for page in pages]


def _text_frame(
    kind: str, content: Content, pages: list[PageText], judged: Verdict
) -> dict[str, Any]:
    return {
        "kind": kind,
        "metadata": dict(content.metadata),
        "pages": [
            [page.number, text, page.hidden]
            for page, text in zip(pages, _texts(pages, {}), strict=True)
        ],
        **judged.fields(),
    }


def _update_frame(
    kind: str, content: Content, pages: list[PageText], names: dict[int, str]
) -> dict[str, Any]:
    judged = verdict(kind, content, _texts(pages, {}))
    readers = [page.transcribed_by for page in pages]
    return {"texts": _texts(pages, names), "transcribed_by": readers, **judged.fields()}


def _recognise(content: Content, pages: list[PageText], stream: BinaryIO) -> None:
    """Read pages without text by their looks, one step each."""
    _limit("RLIMIT_AS", recognition.MEMORY)
    for index, scan in sorted(content.scans.items()):
        wire.write_frame(
            stream, wire.STEP, {"seconds": recognition.SECONDS_A_PAGE * recognition.PATIENCE}
        )
        _limit("RLIMIT_CPU", math.ceil(_cpu_seconds() + recognition.SECONDS_A_PAGE))
        found = recognition.recognised(scan)
        pages[index].text = "\n\n".join(part for part in (found.text, pages[index].text) if part)
        if found.score < recognition.SURE:
            content.warnings.append(f"Page {index + 1}: the text was recognised with doubts.")
        if found.text:
            pages[index].transcribed_by = recognition.NAME
            del content.scans[index]


def _send_pictures(content: Content, stream: BinaryIO) -> dict[int, str]:
    """Send every picture worth keeping once; return the name of each by its place."""
    names: dict[int, str] = {}
    album = Album()
    for candidate in content.pictures():
        picture = picture_of(candidate)
        if picture is None:
            continue
        name = album.name_of(picture)
        if not name:
            if len(album) == wire.PICTURE_LIMIT:
                content.warnings.append(f"Only the first {wire.PICTURE_LIMIT} pictures were kept.")
                break
            name = album.add(picture)
            fields = {each: getattr(picture, each) for each in wire.IMAGE_FIELDS}
            wire.write_frame(stream, wire.IMAGE, fields, picture.data)
        names[candidate.place] = name
    return names


def _resident_kilobytes() -> int:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, IndexError):
            fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
            return int(fields[1]) * resource.getpagesize() // 1024
    return 0


if __name__ == "__main__":
    main()
