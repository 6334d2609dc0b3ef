"""Who is let in first, and for whom a place is kept."""

import asyncio
from collections.abc import Callable
from functools import partial

import pytest

from tests.summarize.conftest import MakeSummarizer
from tests.summarize.fakes import FakeAuthor, page, put
from vaultd.summarize import summarizer as module
from vaultd.summarize.gate import Caller, Gate
from vaultd.vault.files import Vault

DEEP, MIDDLE, SHALLOW = Caller("a/b/c", (1, -3)), Caller("a/b", (1, -2)), Caller("z", (1, -1))
FOR_EVER, NOT_AT_ALL = 3_600.0, 0.0


class Call:
    """One call through a gate: `end` lets it go."""

    def __init__(self, gate: Gate, caller: Caller, then: Caller | None = None) -> None:
        self._inside = False
        self._over = asyncio.Event()
        self._task = asyncio.create_task(self._call(gate, caller, then))

    def is_inside(self) -> bool:
        """Tell whether the call is under way."""
        return self._inside

    async def end(self) -> None:
        """Leave the gate, and let all others come as far as they can."""
        self._over.set()
        await self._task
        await rest()

    async def _call(self, gate: Gate, caller: Caller, then: Caller | None) -> None:
        async with gate.turn(caller, then=then):
            self._inside = True
            await self._over.wait()
        self._inside = False


async def rest() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_more_urgent_ones_come_first_then_the_earlier() -> None:
    gate = Gate(1)
    first = Call(gate, SHALLOW)
    await rest()
    waiting = [Call(gate, each) for each in (SHALLOW, DEEP, MIDDLE, DEEP)]
    await rest()

    order = []
    await first.end()
    for _ in waiting:
        place = next(number for number, call in enumerate(waiting) if call.is_inside())
        order.append(place)
        await waiting[place].end()

    assert order == [1, 3, 2, 0]


async def test_place_is_kept_for_one_that_is_made_ready() -> None:
    gate = Gate(1, patience=FOR_EVER)
    deep = Call(gate, DEEP, then=MIDDLE)
    await rest()
    shallow = Call(gate, SHALLOW)
    await deep.end()
    assert not shallow.is_inside()

    middle = Call(gate, MIDDLE)
    await rest()
    assert middle.is_inside()

    await middle.end()
    assert shallow.is_inside()
    await shallow.end()


async def test_one_as_urgent_takes_the_place_that_is_kept() -> None:
    gate = Gate(1, patience=FOR_EVER)
    deep = Call(gate, DEEP, then=MIDDLE)
    await rest()
    middle = Call(gate, MIDDLE)

    await deep.end()

    assert middle.is_inside()
    await middle.end()


async def test_no_more_places_are_kept_than_are_expected() -> None:
    gate = Gate(2, patience=FOR_EVER)
    deep, other = Call(gate, DEEP, then=MIDDLE), Call(gate, DEEP)
    await rest()
    shallow = [Call(gate, SHALLOW), Call(gate, SHALLOW)]
    await deep.end()
    await other.end()
    assert [call.is_inside() for call in shallow] == [True, False]

    middle = Call(gate, MIDDLE)
    await rest()
    assert middle.is_inside()

    await middle.end()
    assert shallow[1].is_inside()
    await shallow[0].end()
    await shallow[1].end()


async def test_one_place_is_kept_for_a_folder_however_many_of_its_children_end() -> None:
    gate = Gate(3, patience=FOR_EVER)
    deep = [Call(gate, Caller(f"a/b/{n}", (1, -3)), then=MIDDLE) for n in range(3)]
    await rest()
    shallow = [Call(gate, Caller(f"z{n}", (1, -1))) for n in range(3)]

    for call in deep:
        await call.end()

    assert [call.is_inside() for call in shallow] == [True, True, False]
    middle = Call(gate, MIDDLE)
    await rest()
    assert middle.is_inside()
    for call in (middle, *shallow):
        await call.end()


async def test_place_is_given_away_when_nobody_comes() -> None:
    gate = Gate(1, patience=NOT_AT_ALL)
    deep = Call(gate, DEEP, then=MIDDLE)
    await rest()
    shallow = Call(gate, SHALLOW)

    await deep.end()
    await asyncio.sleep(0.01)

    assert shallow.is_inside()
    await shallow.end()


async def test_caller_that_gives_up_takes_no_place() -> None:
    gate = Gate(1)
    first = Call(gate, DEEP)
    await rest()
    tired = asyncio.create_task(gate.turn(DEEP).__aenter__())
    last = Call(gate, SHALLOW)
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
