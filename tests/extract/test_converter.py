"""A child may die, hang or talk nonsense: it costs the file it was reading."""

from __future__ import annotations

import asyncio
import os
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import structlog

from vaultd.errors import TransientError
from vaultd.extract import Converter, Limits
from vaultd.extract.converter import NICE
from vaultd.extract.waiting import Deadline
from vaultd.model.document import ExtractStatus

STAND_IN = """
import ctypes, json, os, signal, struct, subprocess, sys, time

def frame(fields, data=b""):
    head = json.dumps(fields).encode()
    sys.stdout.buffer.write(struct.pack(">II", len(head), len(data)) + head + data)
    sys.stdout.buffer.flush()

for line in sys.stdin:
    name = os.path.basename(json.loads(line)["path"])
    if name == "hang":
        time.sleep(60)
    if name == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        time.sleep(60)
    if name == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "abort":
        os.abort()
    if name == "nonsense":
        sys.stdout.buffer.write(b"hello, I am not a frame at all")
        sys.stdout.buffer.flush()
        time.sleep(60)
    if name == "huge":
        sys.stdout.buffer.write(struct.pack(">II", 2**31, 2**31))
        sys.stdout.buffer.flush()
        time.sleep(60)
    frame({"frame": "begin", "kind": "txt", "pages": 1})
    if name == "slow":
        time.sleep(2.8)
    frame({"frame": "text", "kind": "txt", "metadata": {}, "pages": [[None, f"{os.getpid()}", ""]],
           "status": "ok", "reason": "", "language": "en", "warnings": []})
    if name == "dies-later":
        os.kill(os.getpid(), signal.SIGKILL)
    frame({"frame": "done", "rss": 500_000 if name == "fat" else 1})
"""
# A child needs up to two seconds to start on a busy machine.
LIMITS = Limits(base=2.5, per_page=2.5, most=5.0, slow=0.1, documents=3)


@pytest.fixture
async def converter(tmp_path: Path) -> AsyncIterator[Converter]:
    script = tmp_path / "stand_in.py"
    script.write_text(textwrap.dedent(STAND_IN))
    converter = Converter(command=[sys.executable, "-S", str(script)], limits=LIMITS)
    yield converter
    await converter.close()


@pytest.fixture
async def patient(tmp_path: Path) -> AsyncIterator[Converter]:
    """A converter that waits longer for one document than the test may take."""
    script = tmp_path / "stand_in.py"
    script.write_text(textwrap.dedent(STAND_IN))
    command = [sys.executable, "-S", str(script)]
    converter = Converter(command=command, limits=Limits(base=50.0, slow=0.1))
    yield converter
    await converter.close()


async def pid(converter: Converter, name: str = "good") -> str:
    extraction = await converter.convert(Path(name), pictures=False)
    return extraction.pages[0].text


async def test_healthy_child_is_used_again(converter: Converter) -> None:
    assert await pid(converter) == await pid(converter)


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="this system has no such number")
async def test_child_gives_way_to_whoever_waits_for_an_answer(converter: Converter) -> None:
    child = int(await pid(converter))

    here = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, child) == max(here, NICE)


async def test_what_a_library_says_of_a_damaged_file_is_in_the_log_only(tmp_path: Path) -> None:
    (tmp_path / "torn.pdf").write_bytes(b"%PDF-1.7\nno more of it")
    converter = Converter(recognise=False)
    try:
        with structlog.testing.capture_logs() as logged:
            extraction = await converter.convert(tmp_path / "torn.pdf", pictures=False)
    finally:
        await converter.close()

    assert extraction.reason == "The PDF is damaged: nothing of it can be read."
    (entry,) = logged
    assert (entry["name"], "Error: " in entry["fault"]) == ("torn.pdf", True)


async def test_child_is_replaced_after_its_number_of_documents(converter: Converter) -> None:
    pids = [await pid(converter) for _ in range(4)]

    assert pids[0] == pids[1] == pids[2] != pids[3]


async def test_child_that_has_grown_fat_is_replaced(converter: Converter) -> None:
    assert await pid(converter, "fat") != await pid(converter)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("stubborn", "too long"),
        ("segfault", "SIGSEGV"),
        ("abort", "SIGABRT"),
        ("nonsense", "more than a document"),
        ("huge", "more than a document"),
    ],
)
async def test_bad_file_fails_and_the_next_one_is_read(
    converter: Converter, name: str, word: str
) -> None:
    before = await pid(converter)

    extraction = await converter.convert(Path(name), pictures=False)

    assert extraction.status is ExtractStatus.FAILED
    assert word in extraction.reason
    assert await pid(converter) != before


async def test_text_sent_before_a_death_is_kept(converter: Converter) -> None:
    extraction = await converter.convert(Path("dies-later"), pictures=True)

    assert extraction.status is ExtractStatus.OK
    assert extraction.pages[0].text
    assert "SIGKILL" in extraction.warnings[0]


async def test_hanging_file_does_not_hold_up_the_others(patient: Converter) -> None:
    hanging = asyncio.create_task(patient.convert(Path("hang"), pictures=False))
    await asyncio.sleep(0)

    await asyncio.gather(*(pid(patient) for _ in range(20)))

    assert not hanging.done()
    hanging.cancel()
    await asyncio.wait([hanging])


@pytest.mark.parametrize(("hungry", "asked"), [(0, 1), (2, 3), (99, 4)])
async def test_a_child_that_gets_no_processor_has_longer_but_not_for_ever(
    hungry: int, asked: int
) -> None:
    answers = [False, *[True] * hungry, False]  # the first call only begins to count
    told: list[float] = []

    def starves(seconds: float) -> bool:
        told.append(seconds)
        return answers[len(told) - 1]

    async def wait() -> None:
        async with asyncio.timeout(None) as clock:
            Deadline(clock, starves, most=0.2).allow(0.05)
            await asyncio.sleep(9)

    with pytest.raises(TimeoutError):
        await wait()

    assert told[:2] == [0, 0.05]
    assert 2 <= len(told) <= 1 + asked


async def test_cancelled_conversion_kills_its_child(converter: Converter) -> None:
    task = asyncio.create_task(converter.convert(Path("hang"), pictures=False))
    await asyncio.sleep(0.1)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await pid(converter)


async def test_closing_is_not_a_failure_of_the_file(converter: Converter) -> None:
    task = asyncio.create_task(converter.convert(Path("hang"), pictures=False))
    await asyncio.sleep(0.1)

    await converter.close()

    with pytest.raises(TransientError):
        await task


async def test_real_child_reads_and_survives_a_bad_file(tmp_path: Path) -> None:
    good, bad = tmp_path / "a.txt", tmp_path / "b.pdf"
    good.write_text("A text that is long enough to be one.")
    bad.write_bytes(b"%PDF-1.7 but nothing more")
    converter = Converter()

    first = await converter.convert(bad, pictures=True)
    second = await converter.convert(good, pictures=True)
    await converter.close()

    assert first.status is ExtractStatus.FAILED
    assert second.status is ExtractStatus.OK
    assert second.language == "en"


async def test_real_child_is_stopped_at_its_memory(tmp_path: Path) -> None:
    big = tmp_path / "big.txt"
    big.write_bytes(b"a line of text\n" * 5_000_000)
    converter = Converter(limits=Limits(memory=192 * 1024**2))

    extraction = await converter.convert(big, pictures=False)
    await converter.close()

    assert extraction.status is ExtractStatus.FAILED
    assert "memory" in extraction.reason
