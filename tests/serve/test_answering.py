"""Threads that answer, and the turns of clients."""

import asyncio
import threading

import pytest
from support.waiting import PATIENCE

pytest.importorskip("starlette")

from tablebase.serve.answering import Answering, Turns


def test_a_client_with_many_requests_lets_others_pass():
    order = []

    async def ask(turns, client):
        await turns.take(client)
        order.append(client)
        turns.give_back()

    async def main():
        turns = Turns(1)
        await turns.take("first")
        asked = [asyncio.create_task(ask(turns, one)) for one in "aaaabbc"]
        await asyncio.sleep(0)
        turns.give_back()
        await asyncio.gather(*asked)

    asyncio.run(main())
    assert "".join(order) == "abcabaa"


def test_who_no_longer_waits_gets_no_turn():
    async def main():
        turns = Turns(1)
        await turns.take("a")
        left, stays = (asyncio.create_task(turns.take(one)) for one in "bc")
        await asyncio.sleep(0)
        left.cancel()
        turns.give_back()
        await stays
        assert left.cancelled()
        turns.give_back()
        await turns.take("d")  # the place is free

        # Also if the turn has just come.
        late = asyncio.create_task(turns.take("e"))
        await asyncio.sleep(0)
        turns.give_back()
        late.cancel()
        await asyncio.wait([late])
        await turns.take("f")

    asyncio.run(asyncio.wait_for(main(), PATIENCE))


def test_a_thread_is_taken_for_as_long_as_it_works():
    """Though nobody waits for the answer any more."""
    finish, began = threading.Event(), []

    def work():
        began.append(1)
        assert finish.wait(PATIENCE)

    async def main():
        answering = Answering(1, 0.01)
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await answering.run("a", work)
        assert len(began) == 1
        finish.set()
        answering.close()

    asyncio.run(main())
