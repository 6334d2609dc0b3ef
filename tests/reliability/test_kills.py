"""Killed as by `kill -9` at any moment, and started again: nothing lost, nothing paid for twice."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
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
    with ModelServer(latency=LATENCY) as server:
        server.rules.append(steady)
        yield server


def killed_at_random(world: World, kills: int, mean: float) -> None:
    """Kill so often, after waits of `mean` seconds on average; then let it finish."""
    chance = random.Random(SEED)
    print(f"VAULTD_SEED={SEED}, {kills} kills")  # noqa: T201  # shown when the test fails
    killed = 0
    while killed < kills:
        run = world.start()
        code = run.wait(chance.expovariate(1 / mean))
        if code is None:
            run.kill()
            assert run.wait(10) == -9
            killed += 1
        else:
            assert code == 0, world.tail()
    assert world.finish() == 0, world.tail()


def killed(
    folder: Path,
    server: ModelServer,
    zygote: Zygote,
    *,
    documents: int,
    kills: int,
    mean: float,
) -> list[str]:
    """Work on two equal vaults, one of them killed; return what the kills broke.

    A source that was found running at three starts goes last: then the vault to compare with is
    made anew in that order.
    """
    left_alone = World.make(folder / "whole", server, zygote, documents)
    world = World.make(folder / "killed", server, zygote, documents)
    undisturbed = left_alone.start()
    killed_at_random(world, kills, mean)
    assert undisturbed.wait(ENDS_WITHIN) == 0, left_alone.tail()
    if (order := world.order()) != left_alone.order():
        left_alone = World.make(folder / "in order", server, zygote, documents)
        left_alone.queue(order)
        assert left_alone.finish() == 0, left_alone.tail()
    return list(faults(world, Whole.of(left_alone), kills))


def test_a_few_kills_at_random_moments_a1(
    tmp_path: Path, server: ModelServer, zygote: Zygote
) -> None:
    assert killed(tmp_path, server, zygote, documents=3, kills=FEW, mean=0.9) == []


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
