"""Servers that echo every message, also over HTTP; a peer under test, its wire and its methods."""

from collections.abc import AsyncIterator

import pytest

from claude_ide.transport.http import HttpListener
from claude_ide.transport.jsonrpc import Peer
from support.http_services import Desk, serving
from support.listeners import echo, listening
from support.peers import Methods, Wire


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """The port of a server that echoes every message."""
    async with listening(echo) as (_, port):
        yield port


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
async def listener(desk: Desk) -> AsyncIterator[HttpListener]:
    async with serving(desk) as listener:
        yield listener


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def methods() -> Methods:
    return Methods()


@pytest.fixture
def peer(wire: Wire, methods: Methods) -> Peer:
    return Peer(wire, methods)
