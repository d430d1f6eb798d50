"""A server that echoes every message."""

from collections.abc import AsyncIterator

import pytest

from support.listeners import echo, listening


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """The port of a server that echoes every message."""
    async with listening(echo) as (_, port):
        yield port
