"""Killed as by `kill -9` at any moment, and started again: nothing lost, nothing paid for twice."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest

from tests.model_server import ModelServer
from tests.reliability.kills import ENDS_WITHIN, LATENCY, Whole, World, faults, steady
from tests.reliability.zygote import Zygote

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")

SEED = int(os.environ.get("VAULTD_SEED", "20261130"))
LONG = int(os.environ.get("VAULTD_KILLS", "0"))
FEW, SOME = 4, 40  # kills of the default and of the full run


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        server.rules.append(steady)
        yield server


def killed_at_random(world: World, kills: int, mean: float, chance: random.Random) -> int:
    """Kill up to so often, after waits of `mean` seconds on average, and let it finish.

    Return how often it was killed: when all is done, there is nothing left to disturb.
    """
    for killed in range(kills):
        run = world.start()
        code = run.wait(chance.expovariate(1 / mean))
        if code is None:
            run.kill()
            code = run.wait(10)
        if code == 0:
            return killed
        assert code == -9, world.tail()
    assert world.finish() == 0, world.tail()
    return kills


def killed(
    folder: Path,
    server: ModelServer,
    zygote: Zygote,
    *,
    documents: int,
    kills: int,
    mean: float,
    latency: float = LATENCY,
) -> list[str]:
    """Work on one vault undisturbed, and on equal ones until they were killed so often in all.

    Return what the kills broke.
    """
    server.latency = latency
    print(f"VAULTD_SEED={SEED}, {kills} kills")  # noqa: T201  # shown when the test fails
    chance, broken, made = random.Random(SEED), list[str](), 0
    left_alone = World.make(folder / "whole", server, zygote, documents)
    undisturbed = left_alone.start()
    for turn in count():  # a run that ends before it is killed counts for none
        if made >= kills:
            break
        world = World.make(folder / f"killed {turn}", server, zygote, documents)
        these = killed_at_random(world, kills - made, mean, chance)
        assert undisturbed.wait(ENDS_WITHIN) == 0, left_alone.tail()
        whole = whole_of(left_alone, world.order(), folder / f"in order {turn}")
        broken += faults(world, whole, these)
        made += these
    return broken


def whole_of(left_alone: World, order: Sequence[str], folder: Path) -> Whole:
    """Return what undisturbed work in this order leaves.

    A source that was found running at three starts goes last: then the vault to compare with is
    made anew in that order.
    """
    if order != left_alone.order():
        left_alone = World.make(folder, left_alone.server, left_alone.zygote, len(order))
        left_alone.queue(order)
        assert left_alone.finish() == 0, left_alone.tail()
    return Whole.of(left_alone)


def test_a_few_kills_at_random_moments_a1(
    tmp_path: Path, server: ModelServer, zygote: Zygote
) -> None:
    broken = killed(tmp_path, server, zygote, documents=2, kills=FEW, mean=0.7, latency=LATENCY / 3)

    assert broken == []


@pytest.mark.full
@pytest.mark.timeout(900)
def test_forty_kills_of_ten_documents_a1(
    tmp_path: Path, server: ModelServer, zygote: Zygote
) -> None:
    assert killed(tmp_path, server, zygote, documents=10, kills=SOME, mean=1.2) == []


@pytest.mark.skipif(not LONG, reason="set VAULTD_KILLS=500")
@pytest.mark.full
@pytest.mark.timeout(7200)
def test_as_many_kills_as_asked_for_a1(tmp_path: Path, server: ModelServer, zygote: Zygote) -> None:
    assert killed(tmp_path, server, zygote, documents=60, kills=LONG, mean=1.5) == []


@pytest.mark.full
@pytest.mark.timeout(900)
def test_a_minute_of_standstill_changes_nothing_g4(
    tmp_path: Path, server: ModelServer, zygote: Zygote
) -> None:
    server.latency = LATENCY
    left_alone, world = (World.make(tmp_path / n, server, zygote, 5) for n in ("whole", "stopped"))
    assert left_alone.finish() == 0, left_alone.tail()

    run = world.start()
    assert run.wait(2) is None
    run.signal(signal.SIGSTOP)
    time.sleep(60)
    run.signal(signal.SIGCONT)

    assert run.wait(ENDS_WITHIN) == 0, world.tail()
    assert list(faults(world, Whole.of(left_alone), 0)) == []
