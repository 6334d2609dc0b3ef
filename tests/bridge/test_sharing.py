from __future__ import annotations

import asyncio

import pytest

from vaultd.bridge.sharing import SharedLooks
from vaultd.errors import TransientError


async def test_fifty_who_ask_at_once_cost_two_looks() -> None:
    looks, shared = 0, SharedLooks()

    async def look() -> int:
        nonlocal looks
        looks += 1
        await asyncio.sleep(0.01)
        return looks

    first = asyncio.ensure_future(shared.answer("status", look))
    await asyncio.sleep(0.005)  # it is under way
    answers = await asyncio.gather(*(shared.answer("status", look) for _ in range(50)))

    assert await first == 1
    assert answers == [2] * 50


async def test_nobody_gets_an_answer_begun_before_they_asked() -> None:
    state, shared = ["before"], SharedLooks()

    async def look() -> str:
        seen = state[0]
        await asyncio.sleep(0.01)
        return seen

    first = asyncio.ensure_future(shared.answer("status", look))
    await asyncio.sleep(0.005)
    state[0] = "after"

    assert await shared.answer("status", look) == "after"
    assert await first == "before"


async def test_other_questions_get_answers_of_their_own() -> None:
    shared = SharedLooks()

    async def one() -> int:
        return 1

    async def two() -> int:
        return 2

    a, b = await asyncio.gather(shared.answer("a", one), shared.answer("b", two))

    assert (a, b) == (1, 2)


async def test_who_goes_away_takes_no_answer_from_the_others() -> None:
    shared = SharedLooks()

    async def look() -> int:
        await asyncio.sleep(0.01)
        return 1

    leaving = asyncio.ensure_future(shared.answer("status", look))
    staying = asyncio.ensure_future(shared.answer("status", look))
    await asyncio.sleep(0)
    leaving.cancel()

    assert await staying == 1


async def test_a_failure_is_everybodys() -> None:
    shared = SharedLooks()

    async def look() -> int:
        raise TransientError("The database did not answer.")

    for failed in await asyncio.gather(
        shared.answer("status", look), shared.answer("status", look), return_exceptions=True
    ):
        with pytest.raises(TransientError):
            raise failed  # type: ignore[misc]
