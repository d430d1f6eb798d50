"""`chat/kinds.py`: which agent a chat gets."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest

from claude_ide.agents.kinds import Kinds, StoredSessions
from claude_ide.base.errors import UserError
from support.another_agent import AnotherKind


def kinds(*ids: str, chosen: str = "") -> Kinds:
    return Kinds([AnotherKind(id_=id_) for id_ in ids], chosen)


def test_an_agent_is_found_by_its_id() -> None:
    assert kinds("otter", "beaver").find("beaver").id == "beaver"


def test_an_unknown_agent_is_an_error() -> None:
    with pytest.raises(UserError, match='no agent "crab"'):
        kinds("otter", "beaver").find("crab")


def test_the_default_is_the_first_that_is_installed() -> None:
    missing, there = AnotherKind(id_="otter"), AnotherKind(id_="beaver")
    missing.is_missing = "otter is not on PATH"

    assert Kinds([missing, there]).find("").id == "beaver"
    assert Kinds([missing]).default.id == "otter"


def test_the_users_choice_is_the_default_even_if_it_is_missing() -> None:
    missing, there = AnotherKind(id_="otter"), AnotherKind(id_="beaver")
    missing.is_missing = "otter is not on PATH"

    assert Kinds([there, missing], chosen="otter").default is missing


def test_an_unknown_choice_counts_as_none() -> None:
    assert kinds("otter", "beaver", chosen="crab").default.id == "otter"


def test_the_user_is_asked_only_if_several_are_installed_and_none_is_chosen() -> None:
    missing = AnotherKind(id_="crab")
    missing.is_missing = "crab is not on PATH"
    otter, beaver = AnotherKind(id_="otter"), AnotherKind(id_="beaver")

    assert Kinds([otter, missing, beaver]).to_choose == [otter, beaver]
    assert Kinds([otter, missing]).to_choose == []
    assert Kinds([otter, beaver], chosen="otter").to_choose == []


def test_no_agents_are_an_error() -> None:
    with pytest.raises(UserError, match="there is no agent"):
        _ = kinds().default


@pytest.mark.parametrize("is_trusted", [True, False])
async def test_an_agent_that_needs_trust_lists_sessions_only_in_a_trusted_folder(
    tmp_path: Path, is_trusted: bool
) -> None:
    otter = AnotherKind(needs_trust=True)
    trust: Any = SimpleNamespace(is_trusted=lambda _folder: is_trusted)
    stored = StoredSessions(Kinds([otter]), trust, AsyncMock())

    await stored.of(otter, tmp_path)

    assert otter.listed == is_trusted
