"""Random turns with the real CLI: the model, the session, the transcript and an export agree.

SEED and STEPS choose another conversation: `make turns`.
"""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.neovim import Neovim
from support.panel import Panel
from support.random_turns.model import RandomModel
from support.random_turns.user import RandomUser

SEEDS = [int(seed) for seed in os.environ.get("SEED", "1 2 3").split()]
STEPS = int(os.environ.get("STEPS", "12"))


@pytest.fixture
async def api(cli: Path) -> AsyncIterator[RandomModel]:
    """The stand-in for the model."""
    async with RandomModel.serve() as model:
        yield model
        model.gate.set()


@pytest.mark.parametrize("seed", SEEDS)
async def test_all_records_of_random_turns_agree(
    seed: int, nvim: Neovim, panel: Panel, api: RandomModel, project: Path, config_folder: Path
) -> None:
    user = RandomUser(seed, nvim, panel, api, project, config_folder)
    try:
        for _ in range(STEPS):
            await user.step()
    except Exception as error:
        error.add_note(f"SEED={seed} {' '.join(user.steps)}")
        raise
