"""Who is let in first, and for whom a place is kept."""

import asyncio
from collections.abc import Callable
from functools import partial

import pytest

from tests.summarize.conftest import MakeSummarizer
from tests.summarize.fakes import FakeAuthor, page, put
from vaultd.summarize import summarizer as module
from vaultd.summarize.gate import Gate, Urgency
from vaultd.vault.files import Vault

DEEP, MIDDLE, SHALLOW = (1, -3), (1, -2), (1, -1)
FOR_EVER, NOT_AT_ALL = 3_600.0, 0.0


class Caller:
    """One call through a gate: `end` lets it go."""

    def __init__(self, gate: Gate, urgency: Urgency, then: Urgency | None = None) -> None:
        self._inside = False
        self._over = asyncio.Event()
        self._task = asyncio.create_task(self._call(gate, urgency, then))

    def is_inside(self) -> bool:
        """Tell whether the call is under way."""
        return self._inside

    async def end(self) -> None:
        """Leave the gate, and let all others come as far as they can."""
        self._over.set()
        await self._task
        await rest()

    async def _call(self, gate: Gate, urgency: Urgency, then: Urgency | None) -> None:
        async with gate.turn(urgency, then=then):
            self._inside = True
            await self._over.wait()
        self._inside = False


async def rest() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_more_urgent_ones_come_first_then_the_earlier() -> None:
    gate = Gate(1)
    first = Caller(gate, SHALLOW)
    await rest()
    waiting = [Caller(gate, urgency) for urgency in (SHALLOW, DEEP, MIDDLE, DEEP)]
    await rest()

    order = []
    await first.end()
    for _ in waiting:
        place = next(number for number, caller in enumerate(waiting) if caller.is_inside())
        order.append(place)
        await waiting[place].end()

    assert order == [1, 3, 2, 0]


async def test_place_is_kept_for_one_that_is_made_ready() -> None:
    gate = Gate(1, patience=FOR_EVER)
    deep = Caller(gate, DEEP, then=MIDDLE)
    await rest()
    shallow = Caller(gate, SHALLOW)
    await deep.end()
    assert not shallow.is_inside()

    middle = Caller(gate, MIDDLE)
    await rest()
    assert middle.is_inside()

    await middle.end()
    assert shallow.is_inside()
    await shallow.end()


async def test_one_as_urgent_takes_the_place_that_is_kept() -> None:
    gate = Gate(1, patience=FOR_EVER)
    deep = Caller(gate, DEEP, then=MIDDLE)
    await rest()
    middle = Caller(gate, MIDDLE)

    await deep.end()

    assert middle.is_inside()
    await middle.end()


async def test_no_more_places_are_kept_than_are_expected() -> None:
    gate = Gate(2, patience=FOR_EVER)
    deep, other = Caller(gate, DEEP, then=MIDDLE), Caller(gate, DEEP)
    await rest()
    shallow = [Caller(gate, SHALLOW), Caller(gate, SHALLOW)]
    await deep.end()
    await other.end()
    assert [caller.is_inside() for caller in shallow] == [True, False]

    middle = Caller(gate, MIDDLE)
    await rest()
    assert middle.is_inside()

    await middle.end()
    assert shallow[1].is_inside()
    await shallow[0].end()
    await shallow[1].end()


async def test_place_is_given_away_when_nobody_comes() -> None:
    gate = Gate(1, patience=NOT_AT_ALL)
    deep = Caller(gate, DEEP, then=MIDDLE)
    await rest()
    shallow = Caller(gate, SHALLOW)

    await deep.end()
    await asyncio.sleep(0.01)

    assert shallow.is_inside()
    await shallow.end()


async def test_caller_that_gives_up_takes_no_place() -> None:
    gate = Gate(1)
    first = Caller(gate, DEEP)
    await rest()
    tired = asyncio.create_task(gate.turn(DEEP).__aenter__())
    last = Caller(gate, SHALLOW)
    await rest()

    tired.cancel()
    await asyncio.gather(tired, return_exceptions=True)
    await first.end()

    assert last.is_inside()
    await last.end()


async def test_chain_of_folders_is_not_overtaken_while_it_is_stored(
    make: MakeSummarizer, vault: Vault, author: FakeAuthor, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient: Callable[[int], Gate] = partial(Gate, patience=FOR_EVER)
    monkeypatch.setattr(module, "Gate", patient)
    put(vault, {"wiki/a/b/c/n.md": page("n", "Deep."), "wiki/z/n.md": page("n", "Shallow.")})

    await make(max_concurrent_llm=1).refresh_all()

    assert author.asked()[:2] == ["wiki/a/b/c", "wiki/a/b"]
