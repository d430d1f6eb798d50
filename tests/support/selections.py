"""The selection in a Neovim under test, and its events for the host."""

from typing import Any

from support.neovim import Neovim, until

TEXT = "one é\ntwo 😀 two\n\tthree\n\nfive\n"


Selection = dict[str, Any]


async def latest(nvim: Neovim) -> Selection:
    now: Selection = await nvim.lua("return require('claude_ide.selection').latest()")
    return now


def selection_events(nvim: Neovim) -> list[Selection]:
    return nvim.events("selection_changed")


def end_of(selection: Selection) -> tuple[int, int]:
    end = selection["selection"]["end"]
    return end["line"], end["character"]


async def wait_for_text(nvim: Neovim, text: str) -> Selection:
    """Wait until the last event has a selection with this text."""

    def is_reported() -> bool:
        return [event.get("text") for event in selection_events(nvim)[-1:]] == [text]

    await until(is_reported, f"{text!r} is reported")
    return selection_events(nvim)[-1]


async def wait_for_cursor(nvim: Neovim, line: int, character: int) -> Selection:
    """Wait until the last event has the cursor at this position."""

    def is_reported() -> bool:
        last = selection_events(nvim)[-1:]
        found = [(event["text"], *end_of(event)) for event in last if event["filePath"]]
        return found == [("", line, character)]

    await until(is_reported, f"the cursor at {line}:{character} is reported")
    return selection_events(nvim)[-1]


async def pause(nvim: Neovim) -> None:
    """Let Neovim run for several periods, in which an event would be sent."""
    await nvim.idle(200)
