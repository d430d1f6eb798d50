"""The editor's half of the chats: a method for each Lua function that a chat calls."""

from collections.abc import Mapping, Sequence
from typing import Any

from claude_ide.editor.editor import Editor

Look = Mapping[str, Any]
"""What `set_bars` in `chat/panel.lua` shows: both bars, and whether the agent works."""


class Panels:
    """What all chats share: their panels, and the windows that they open beside them."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    def of(self, chat: int) -> "Panel":
        """Return the panel of one chat."""
        return Panel(self._editor, chat)

    async def new_id(self) -> int:
        """Return an id that no chat has had in this Neovim."""
        return int(await self._editor.run("chat.state.new_id"))

    async def here(self) -> Mapping[str, Any] | None:
        """Return the chat that a command means (`chat`, `revival`), or None."""
        return await self._editor.run("chat.panel.here") or None

    async def folder(self) -> str:
        """Return the folder of the current window."""
        return str(await self._editor.run("file.buffers.folder"))

    async def show_text(self, name: str, text: str, filetype: str = "") -> Any:
        """Show a text in a scratch window of its own; return what `close_text` needs."""
        return await self._editor.run("window.scratch.open", name, text, filetype or None)

    async def close_text(self, shown: Any) -> None:
        """Close a window that `show_text` has opened."""
        await self._editor.run("window.scratch.close", shown)

    async def show_lines(self, title: str, lines: Sequence[str]) -> None:
        """Show a few lines in a float."""
        await self._editor.run("window.float.show", list(lines), {"title": title})

    async def open_terminal(self, request: Mapping[str, Any]) -> None:
        """Run a command in a terminal (`terminal.lua`, `toggle`)."""
        await self._editor.run("terminal.toggle", request)

    async def has_declined_trust(self, root: str) -> bool:
        """Return whether the user does not want to be asked about a folder's trust now."""
        return bool(await self._editor.run("host.trust.is_declined", root))

    async def decline_trust(self, root: str) -> None:
        """Remember that the user does not want to be asked about a folder's trust now."""
        await self._editor.run("host.trust.decline", root)


class Panel:
    """The panel of one chat."""

    def __init__(self, editor: Editor, chat: int) -> None:
        self._editor = editor
        self._chat = chat

    # Its windows.

    async def open(self, options: Mapping[str, Any]) -> None:
        """Show it, and take the user into its prompt."""
        await self._run("chat.panel.open", options)

    async def toggle(self, options: Mapping[str, Any]) -> None:
        """Show it in the current tabpage, or hide it there."""
        await self._run("chat.panel.toggle", options)

    async def adopt(self, options: Mapping[str, Any]) -> None:
        """Go on with a panel that has lost its host."""
        await self._run("chat.hostless.adopt", options)

    async def give_up(self, reason: str) -> None:
        """Say why a panel that has lost its host cannot go on."""
        await self._run("chat.hostless.give_up", reason)

    async def close(self) -> None:
        """Take it away."""
        await self._run("chat.panel.close")

    async def write(self) -> None:
        """Take the user into the prompt."""
        await self._run("chat.panel.enter_prompt")

    async def uncover(self) -> None:
        """Let the file that was opened from it be seen."""
        await self._run("chat.placement.hide_float")

    # What it shows.

    async def draw(self, frame: Mapping[str, Any]) -> None:
        """Draw a frame of the transcript."""
        await self._run("chat.transcript.draw", frame)

    async def draw_bars(self, look: Look) -> None:
        """Set the bars of both windows, and whether the agent works."""
        await self._run("chat.panel.set_bars", look["bars"], look["work"])

    async def pin(self, rows: Sequence[Any]) -> None:
        """Pin rows to the transcript's corner; none take them away."""
        await self._run("chat.panel.pin", rows)

    async def count_requests(self, count: int) -> None:
        """Say how many requests wait for the user."""
        await self._run("chat.waiting.set", count)

    async def remember(self, session: str) -> None:
        """Have the session remembered for a host that comes after this one."""
        await self._run("chat.state.remember", session)

    # The prompt.

    async def offer(self, offer: Mapping[str, Any]) -> None:
        """Say what there is to complete, and which keys and commands there are (`abilities`)."""
        await self._run("chat.offer.set", offer)

    async def put_back(self, text: str) -> None:
        """Put a prompt that was not sent back to where it was typed."""
        await self._run("chat.prompt.put", text)

    async def mention(self, words: str) -> None:
        """Add a mention to the prompt."""
        await self._run("chat.prompt.mention", words)

    # What waits for the user.

    async def seen(self, part: int) -> str:
        """Return the kind of a part that the user can see whole now; empty for another."""
        return str(await self._run("chat.transcript.sight.seen", part))

    async def lead(self, part: int) -> None:
        """Lead the user to the beginning of a part."""
        await self._run("chat.panel.go_to_part", part)

    async def whereabouts(self, path: str, root: str) -> Mapping[str, str]:
        """Return a file as its user knows it (`path`), and why a change matters (`warning`)."""
        found: Mapping[str, str] = await self._editor.run("file.whereabouts.of", path, [root])
        return found

    async def accept_diff(self, diff: int) -> None:
        """Accept a diff with whatever the user has made of it."""
        await self._editor.run("diff.accept", diff)

    async def merge(self, base: str, ours: str, theirs: str) -> str | None:
        """Return a text with the changes of two others; None if they exclude each other."""
        merged: str | None = await self._editor.run("file.rebase.merge_texts", base, ours, theirs)
        return merged

    async def is_plan_open(self, token: int) -> bool:
        """Return whether the plan that `ask_plan` shows under this token can be read."""
        return bool(await self._editor.run("chat.plan.is_open", token))

    async def ask_plan(self, plan: Mapping[str, str], token: int) -> Mapping[str, Any]:
        """Show a plan to edit; return what the user decides."""
        return await self._editor.ask("chat.plan", plan, token=token)

    async def ask_questions(self, form: Mapping[str, Any], token: int) -> Mapping[str, Any]:
        """Show a form; return what the user answers."""
        return await self._editor.ask("chat.form", form, token=token)

    async def _run(self, function: str, *arguments: Any) -> Any:
        return await self._editor.run(function, self._chat, *arguments)
