"""A peer under test, its wire and its methods."""

import pytest

from claude_ide.transport.jsonrpc import Peer
from support.peers import Methods, Wire


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def methods() -> Methods:
    return Methods()


@pytest.fixture
def peer(wire: Wire, methods: Methods) -> Peer:
    return Peer(wire, methods)
