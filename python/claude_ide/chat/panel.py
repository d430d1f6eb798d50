"""The Lua half of the panel: a method for each Lua function that a chat calls."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from claude_ide.editor.editor import Editor

Look = Mapping[str, Any]
"""The arguments of `set_bars` in `chat/panel.lua`: `bars` of both windows; `work`, the progress."""


class Panels:
    """The functions that are not about one chat: finding panels, opening other windows."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    def of(self, chat: int) -> "Panel":
        """Return the panel of one chat."""
        return Panel(self._editor, chat)

    async def new_id(self) -> int:
        """Return a new id, unique in this Neovim."""
        return int(await self._editor.run("chat.state.new_id"))

    async def here(self) -> Mapping[str, Any] | None:
        """Return the chat for a command (`chat`, `revival`), or None."""
        return await self._editor.run("chat.panel.here") or None

    async def of_tabpage(self) -> Mapping[str, Any] | None:
        """Return the chat of the current tab page (`chat`, `revival`), or None."""
        return await self._editor.run("chat.panel.of_tabpage") or None

    async def folder(self) -> str:
        """Return the folder of the current window."""
        return str(await self._editor.run("file.buffers.folder"))

    async def show_text(
        self, agent: str, title: str, text: str, filetype: str = "", edge: str = "below"
    ) -> Any:
        """Show a text of an agent in a scratch window at an edge of the screen: above or below.

        Returns the argument for `close_text`.
        """
        arguments = (title, text, filetype or None, edge, agent)
        return await self._editor.run("window.scratch.open", *arguments)

    async def replace_text(self, shown: Any, text: str, *, to_end: bool = False) -> bool:
        """Replace a text that `show_text` has shown; return whether it is still on screen."""
        return bool(await self._editor.run("window.scratch.replace", shown, text, to_end))

    async def close_text(self, shown: Any) -> None:
        """Close a window that `show_text` has opened."""
        await self._editor.run("window.scratch.close", shown)

    async def show_lines(self, title: str, lines: Sequence[str]) -> None:
        """Show a few lines in a float."""
        await self._editor.run("window.float.show", list(lines), {"title": title})

    async def open_list(self, name: str, title: str, keys: Sequence[tuple[str, str, str]]) -> None:
        """Open a list, and enter it; each key has a name and a description."""
        named = [dict(zip(("key", "name", "desc"), key, strict=True)) for key in keys]
        await self._editor.run("chat.list.open", name, {"title": title, "keys": named})

    async def show_list(self, name: str, title: str, items: Sequence[Mapping[str, Any]]) -> bool:
        """Show the items of an open list; False if they could not be shown."""
        return bool(await self._editor.run("chat.list.show", name, title, list(items)))

    async def close_list(self, name: str) -> None:
        """Close a list, and return the user to where they came from."""
        await self._editor.run("chat.list.close", name)

    async def know_sessions(self, folder: Path, ids: Sequence[str]) -> None:
        """Set the sessions of a folder that `:ClaudeChat resume` completes, if agents list them."""
        await self._editor.run("chat.sessions.set", str(folder), list(ids))

    async def offer_files(self, number: int, paths: Iterable[str]) -> None:
        """Offer files in a prompt, as the answer to the question with this number."""
        await self._editor.run("chat.prompt.completion.show", number, "\0".join(paths))

    async def mark_mentions(self, bufnr: int, tick: int, unknown: Sequence[Any]) -> None:
        """Mark the mentions in a prompt whose files do not exist, unless its text has changed."""
        await self._editor.run("chat.prompt.mentions.mark", bufnr, tick, unknown)

    async def paste_image(self, bufnr: int, mark: int, image: Mapping[str, str]) -> None:
        """Insert an image at a mark in a prompt, or say why there is none (`clipboard.read`)."""
        await self._editor.run("chat.prompt.clipboard.insert", bufnr, mark, image)

    async def open_terminal(self, request: Mapping[str, Any]) -> None:
        """Run a command in a terminal (`terminal.lua`, `toggle`)."""
        await self._editor.run("terminal.toggle", request)

    async def has_declined_trust(self, root: str) -> bool:
        """Return whether the user has declined to decide about trust in a folder for now."""
        return bool(await self._editor.run("host.trust.is_declined", root))

    async def decline_trust(self, root: str) -> None:
        """Remember that the user has declined to decide about trust in a folder for now."""
        await self._editor.run("host.trust.decline", root)


class Panel:
    """The panel of one chat."""

    def __init__(self, editor: Editor, chat: int) -> None:
        self._editor = editor
        self._chat = chat

    @property
    def source(self) -> str:
        """The name of this chat as a source of changes to review, in Lua."""
        return f"chat {self._chat}"

    # Windows.

    async def open(self, options: Mapping[str, Any]) -> None:
        """Show the panel, and move the cursor to its prompt."""
        await self._run("chat.panel.open", options)

    async def toggle(self, options: Mapping[str, Any]) -> None:
        """Show the panel in the current tab page, or hide it there."""
        await self._run("chat.panel.toggle", options)

    async def adopt(self, options: Mapping[str, Any]) -> None:
        """Take over a panel whose host has ended."""
        await self._run("chat.hostless.adopt", options)

    async def give_up(self, reason: str) -> None:
        """Show why a panel whose host has ended cannot be taken over."""
        await self._run("chat.hostless.give_up", reason)

    async def open_login(self, request: Mapping[str, Any]) -> None:
        """Run a login in a terminal (`chat/login.lua`); its end is the event `logged_in`."""
        await self._run("chat.login.open", request)

    async def close(self) -> None:
        """Close the panel and forget the chat."""
        await self._run("chat.panel.close")

    async def write(self) -> None:
        """Move the cursor to the prompt."""
        await self._run("chat.panel.enter_prompt")

    async def uncover(self) -> None:
        """Make a file visible that was opened from the panel."""
        await self._run("chat.placement.hide_float")

    async def show_file(self, path: str, first: int, last: int) -> str:
        """Show a file without moving the user; return why that is not possible now, or "".

        `first` is the line to go to, or 0; `last` is the last changed line, or 0.
        """
        return str(await self._run("chat.following.show", path, first, last))

    # Content.

    async def draw(self, frame: Mapping[str, Any]) -> None:
        """Draw a frame of the transcript."""
        await self._run("chat.transcript.draw", frame)

    async def follow(self) -> None:
        """Show the end of the transcript, and follow it."""
        await self._run("chat.transcript.follow")

    async def draw_bars(self, look: Look) -> None:
        """Set the bars of both windows and the progress."""
        await self._run("chat.panel.set_bars", look["bars"], look["work"])

    async def pin(self, rows: Sequence[Any], more: int = 0) -> None:
        """Pin rows to the transcript's corner, above the number of those that are left out.

        An empty list removes them.
        """
        await self._run("chat.panel.pin", rows, more)

    async def count_tasks(self, count: int) -> None:
        """Set the number of tasks that run in the background."""
        await self._run("chat.tasks.set_count", count)

    async def show_tasks(self, rows: Sequence[Any]) -> None:
        """Show the list of tasks in a float."""
        await self._run("chat.tasks.show", rows)

    async def draw_tasks(self, rows: Sequence[Any]) -> bool:
        """Update the list of tasks; return whether it is still on screen."""
        return bool(await self._run("chat.tasks.draw", rows))

    async def count_requests(self, count: int, label: str) -> None:
        """Set the number of requests that wait, and what tells the chat from others."""
        await self._run("chat.waiting.set", count, label)

    async def remember(self, session: str) -> None:
        """Store the session, so that a later host can resume it."""
        await self._run("chat.state.remember", session)

    # Prompt.

    async def offer(self, offer: Mapping[str, Any]) -> None:
        """Set the completion, keys and commands of the panel (`offering.Offer`)."""
        await self._run("chat.offer.set", offer)

    async def shown_prompt(self, number: int) -> None:
        """Report that the transcript shows a prompt that the user has sent."""
        await self._run("chat.sent.shown", number)

    async def claim_prompt(self, number: int) -> bool:
        """Claim a prompt for the agent; False if the user has taken it back."""
        return bool(await self._run("chat.sent.claim", number))

    async def forget_prompts(self, numbers: Sequence[int]) -> None:
        """Report that prompts have begun, so that they need not be kept."""
        await self._run("chat.sent.forget", numbers)

    async def take_back(self, numbers: Sequence[int] | None = None) -> list[int]:
        """Return unclaimed prompts to the prompt window; return the numbers of those."""
        only = () if numbers is None else (list(numbers),)
        return list(await self._run("chat.prompt.take_back", *only))

    async def give_back(self, numbers: Sequence[int]) -> None:
        """Return prompts to the prompt window that will not be carried out."""
        await self._run("chat.prompt.give_back", numbers)

    async def put_if_empty(self, text: str) -> bool:
        """Put a text into the prompt window if that is empty; return whether it was."""
        return bool(await self._run("chat.prompt.put_if_empty", text))

    async def edit(self, text: str, images: Sequence[Mapping[str, str]]) -> None:
        """Replace the prompt by an earlier one; the present text remains in the history."""
        await self._run("chat.prompt.edit", text, images)

    async def leave_edit(self) -> None:
        """Replace an earlier prompt, which remains in the history, by the text before it."""
        await self._run("chat.prompt.leave_edit")

    async def mention(self, words: str) -> None:
        """Add a mention to the prompt."""
        await self._run("chat.prompt.mention", words)

    # Requests.

    async def seen(self, part: int) -> str:
        """Return the kind of a part that is completely visible now; empty if it is not."""
        return str(await self._run("chat.transcript.sight.seen", part))

    async def lead(self, part: int, key: str) -> None:
        """Scroll to the beginning of a part; say that this key has not answered it yet, if any."""
        await self._run("chat.panel.go_to_part", part, key)

    async def whereabouts(self, path: str, root: str) -> Mapping[str, str]:
        """Return the displayed path of a file (`path`), and the risk of a change (`warning`)."""
        found: Mapping[str, str] = await self._editor.run("file.whereabouts.of", path, [root])
        return found

    async def accept_diff(self, diff: int) -> None:
        """Accept a diff, including the user's changes in it."""
        await self._editor.run("diff.accept", diff)

    async def browse(self, url: str) -> str:
        """Open an address in the user's browser; return why that failed, or ""."""
        return str(await self._editor.run("system.browser.open", url))

    async def merge(self, base: str, ours: str, theirs: str) -> str | None:
        """Return `base` with the changes of both other texts; None if they conflict."""
        merged: str | None = await self._editor.run("file.rebase.merge_texts", base, ours, theirs)
        return merged

    async def open_text(self, path: str) -> str | None:
        """Return the text of a file's buffer, saved or not, as an agent reads it.

        None if there is no such text, or if the file may have been written since. Raises
        `EditorError` if no file can have this path.
        """
        buffer = await self._editor.run("disk.agent_file.read", path) or {}
        return None if buffer.get("is_behind") else buffer.get("text")

    async def is_plan_read(self, token: int) -> bool:
        """Return whether all of the plan that `ask_plan` shows has been on the screen."""
        return bool(await self._editor.run("chat.plan.is_read", token))

    async def ask_plan(self, plan: Mapping[str, str], token: int) -> Mapping[str, Any]:
        """Show a plan to edit; return the user's decision."""
        return await self._editor.ask("chat.plan", plan, token=token)

    async def ask_code(self, code: Mapping[str, str], token: int) -> Mapping[str, Any]:
        """Show code to edit; return the user's decision."""
        return await self._editor.ask("jupyter.question", code, token=token)

    async def fill_in(
        self,
        page: Mapping[str, Any],
        token: int,
        press: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
    ) -> Mapping[str, Any]:
        """Show a form, and after each key the page that `press` returns; return how it ended."""
        return await self._editor.ask("chat.form", page, token=token, press=press)

    async def _run(self, function: str, *arguments: Any) -> Any:
        return await self._editor.run(function, self._chat, *arguments)
