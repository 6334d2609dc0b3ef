"""The order in which sources are published."""

from __future__ import annotations

import asyncio

import pytest

from vaultd.ingest.turns import PublishOrder


async def _source(order: PublishOrder, number: int, seconds: float, passed: list[int]) -> None:
    with order.place(number):
        await asyncio.sleep(seconds)
        async with order.turn(number):
            passed.append(number)


async def test_sources_are_published_in_the_order_they_started() -> None:
    order, passed = PublishOrder(), list[int]()

    await asyncio.gather(
        _source(order, 1, 0.03, passed),
        _source(order, 2, 0.01, passed),
        _source(order, 3, 0, passed),
    )

    assert passed == [1, 2, 3]


async def test_a_failed_source_lets_the_next_one_pass() -> None:
    order, passed = PublishOrder(), list[int]()

    async def failing() -> None:
        with order.place(1):
            await asyncio.sleep(0.01)
            raise ValueError("broken")

    results = await asyncio.gather(failing(), _source(order, 2, 0, passed), return_exceptions=True)

    assert isinstance(results[0], ValueError)
    assert passed == [2]


async def test_a_cancelled_source_lets_the_next_one_pass() -> None:
    order, passed = PublishOrder(), list[int]()
    first = asyncio.create_task(_source(order, 1, 10, passed))
    second = asyncio.create_task(_source(order, 2, 0, passed))
    await asyncio.sleep(0.01)

    first.cancel()
    await second

    assert passed == [2]
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_two_sources_never_publish_at_once() -> None:
    order = PublishOrder()
    inside, most = 0, 0

    async def source(number: int) -> None:
        nonlocal inside, most
        with order.place(number):
            async with order.turn(number):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0.001)
                inside -= 1

    await asyncio.gather(*(source(number) for number in range(10)))

    assert most == 1
