"""What an editor reports for the text of its status line."""

from typing import Any

from support.neovim import Neovim, until


async def reported(nvim: Neovim, **facts: Any) -> None:
    """Wait until the last report has these facts."""

    async def has_them() -> bool:
        reports = nvim.events("status_reported")
        return bool(reports) and facts.items() <= reports[-1].items()

    await until(has_them, f"{facts} is reported")
