"""What the editor answers while Neovim is too busy to answer itself."""

import asyncio
from typing import Any

from claude_ide.editor.editor import Editor


class Busy:
    """An editor port whose calls are never answered (implements `Port`)."""

    def call(self, _function: str, *_arguments: Any) -> "asyncio.Future[Any]":
        return asyncio.get_running_loop().create_future()

    json = call

    def notify(self, _function: str, *_arguments: Any) -> None:
        pass

    def close(self) -> None:
        pass


async def test_before_the_first_report_the_folders_are_those_of_the_start() -> None:
    editor = Editor(Busy(), ("/project",))

    assert await editor.folders() == ["/project"]
