"""A real Neovim with plugins, files and a client, and the steps that can happen in it.

A step is a name with plain values, so that a round can be written as a script. After each step the
world waits until Neovim and the client agree, and `rules.py` checks the invariants.
"""

import asyncio
import contextlib
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from editors.rules import Fault, Rules
from editors.sight import OBSERVE, Sight
from support.chunks import chunk
from support.claude_code import connected, the_lock
from support.neovim import Neovim, NvimError
from support.transcripts import FAKE_CLI, GOLDEN

PLUGINS_FOLDER = Path(__file__).parent / "plugins"
PLUGINS = tuple(sorted(path.stem for path in PLUGINS_FOLDER.glob("*.lua")))
FILES = ("a.txt", "b.txt", "c.txt")
WAIT_SECONDS = 10.0
"""Seconds after which a wait counts as a fault."""
TO_NORMAL_MODE = "<C-\\><C-n>"
"""Ends any mode the user is in."""
PROMPT_ANSWERS = {"r": "<CR>", "rm": "q", "r?": "n<CR>"}

OPEN_FLOAT = chunk("world/open_float")
CLOSE_FLOAT = chunk("world/close_float")
CLOSE_FLOAT_LATER = "local number = ... vim.defer_fn(function() _G.close_float(number) end, 20)"
CONFIGURE = chunk("world/configure")
LOADED = "vim.api.nvim_exec_autocmds('User', { pattern = 'VeryLazy' })"
NOTIFY = "vim.notify(('another plugin says %d'):format(...))"
HAS_HOST = """
return vim.iter(require('claude_ide.chat.state').list()):all(function(chat)
  return not chat.is_orphan
end)
"""
LISTENING = "return require('claude_ide.host').server() ~= nil"
GO_TO_TILED = chunk("world/go_to_tiled")


async def load(nvim: Neovim, *names: str) -> None:
    """Load plugins as a plugin manager does, after Neovim has started."""
    for name in names:
        await nvim.command(f"luafile {PLUGINS_FOLDER / name}.lua")
    await nvim.lua(LOADED)


class World:
    """One Neovim under test, its files, its client and the steps so far."""

    def __init__(
        self, folder: Path, plugins: tuple[str, ...] = (), layout: str = "tab", side: str = "right"
    ) -> None:
        self.folder = folder
        self.project = folder / "project"
        self.plugins, self.layout, self.side = plugins, layout, side
        self.steps: list[tuple[Any, ...]] = []
        self.rules = Rules(plugins)
        self.proposed = 0
        self.pending: dict[int, asyncio.Future[Any]] = {}
        self.counts: Counter[str] = Counter()

    @property
    def config_folder(self) -> Path:
        """The folder of the lock files."""
        return self.folder / "home" / "claude"

    async def start(self) -> None:
        """Start Neovim with the plugins, its server and a client."""
        self.project.mkdir(parents=True)
        for name in FILES:
            (self.project / name).write_text("".join(f"{name} {n}\n" for n in range(1, 41)))
        home = self.folder / "home"
        self.nvim = await Neovim.start("a.txt", cwd=self.project, home=home, columns=120, rows=40)
        cli = [sys.executable, "-I", str(FAKE_CLI), str(GOLDEN / "plain_thinking.jsonl")]
        await self.lua(CONFIGURE, cli, self.layout, self.side)
        await self.lua(f"_G.close_float = function(...) {CLOSE_FLOAT} end")
        await self.request("nvim_command", "set hidden noswapfile | ClaudeStart!")
        await self.until(lambda: self.lua(LISTENING), "the server listens")
        await self.connect()
        await load(self.nvim, *self.plugins)
        self.rules.begin(await self.look())

    async def stop(self) -> None:
        """Disconnect the client and stop Neovim."""
        await self.disconnect()
        await self.nvim.stop()

    async def connect(self) -> None:
        """Connect a client, as the CLI does."""
        port, lock = await the_lock(self.config_folder)
        self._stack = contextlib.AsyncExitStack()
        self.client = await self._stack.enter_async_context(connected(port, lock["authToken"]))
        await self.client.initialize()

    async def disconnect(self) -> None:
        """Disconnect the client; its diffs get no answers."""
        self.pending.clear()
        if hasattr(self, "_stack"):
            await self._stack.aclose()

    # Requests to Neovim.

    async def request(self, method: str, *arguments: Any) -> Any:
        """Send a request to Neovim; answer a prompt that blocks it, and check that prompt."""
        asked = self.nvim.send_request(method, *arguments)
        deadline = asyncio.get_running_loop().time() + WAIT_SECONDS
        while True:
            done, _ = await asyncio.wait([asked], timeout=0.1)
            if done:
                return asked.result()
            if asyncio.get_running_loop().time() > deadline:
                raise Fault(f"Neovim does not answer {method}; {await self.nvim.mode()}")
            await self._answer_prompt()

    async def lua(self, code: str, *arguments: Any) -> Any:
        """Run a Lua chunk."""
        return await self.request("nvim_exec_lua", code, list(arguments))

    async def look(self) -> Sight:
        """Return a snapshot of the editor."""
        return Sight(await self.lua(OBSERVE))

    async def until(
        self, condition: Callable[[], Awaitable[Any]], what: str, seconds: float = WAIT_SECONDS
    ) -> Any:
        """Wait for a condition; raise a fault if it is not met in time."""
        deadline = asyncio.get_running_loop().time() + seconds
        while not (value := await condition()):
            if asyncio.get_running_loop().time() > deadline:
                raise Fault(f"not within {seconds} s: {what}")
            await asyncio.sleep(0.01)
        return value

    async def _answer_prompt(self) -> None:
        mode = await self.nvim.mode()
        if mode["blocking"] or mode["mode"] in PROMPT_ANSWERS:
            self.rules.note_prompt(mode["mode"], self.nvim.screen.text())
            await self.nvim.keys(PROMPT_ANSWERS.get(mode["mode"], "<CR>"))

    # Steps.

    async def do(self, name: str, *values: Any) -> None:
        """Carry out a step, wait until everything is at rest, and check the invariants."""
        self.steps.append((name, *values))
        self.counts[name] += 1
        try:
            before = await self.look()
            self.rules.before(name, values, before)
            await getattr(self, f"step_{name}")(*values)
            self.rules.after(await self.rest(), self.answers(), self.project)
        except NvimError as error:
            raise await self._death(error) from None

    async def _death(self, error: NvimError) -> Fault:
        if "has exited" not in str(error):
            return Fault(f"Neovim refuses: {error}")
        return Fault(f"Neovim has died: status {await self.nvim.process.wait()}")

    async def step_keys(self, keys: str) -> None:
        """The user types keys in Normal mode."""
        if not await self._would_quit(keys):
            await self.nvim.keys(TO_NORMAL_MODE + keys)
            await self.request("nvim_eval", "1")

    async def step_keep_typing(self, keys: str) -> None:
        """The user continues to type if they are in Insert mode."""
        if not (await self.look()).mode.startswith("i"):
            return
        await self.nvim.keys(keys)
        await self.request("nvim_eval", "1")

    async def step_open_diff(self, file: str, change: str) -> None:
        """Claude proposes a change of a file."""
        self.proposed += 1
        path = self.project / file
        text = f"proposal {self.proposed}.\n"
        text += {"small": path.read_text() if path.exists() else "", "all": ""}[change]
        _, self.pending[self.proposed] = self.client.start_call(
            "openDiff",
            {
                "old_file_path": str(path),
                "new_file_path": str(path),
                "new_file_contents": text,
                "tab_name": f"tab {self.proposed}",
            },
        )
        await self.until(self._is_known, "the editor knows of the diff")

    async def step_close_tab(self, which: int) -> None:
        """The client closes a diff, because the user has answered in the terminal."""
        numbers = sorted(self.pending)
        if numbers:
            name = f"tab {numbers[which % len(numbers)]}"
            await self.client.call("close_tab", {"tab_name": name})

    async def step_close_all(self) -> None:
        """The client closes all its diffs."""
        await self.client.call("closeAllDiffTabs")

    async def step_open_file(self, file: str) -> None:
        """Claude opens a file."""
        await self.client.call("openFile", {"filePath": str(self.project / file)})

    async def step_diagnose(self) -> None:
        """Claude asks for diagnostics."""
        await self.client.call("getDiagnostics")

    async def step_reconnect(self) -> None:
        """The client disconnects and connects again."""
        await self.disconnect()
        await self.connect()

    async def step_write_disk(self, file: str, text: str) -> None:
        """Another program writes a file."""
        (self.project / file).write_text(text)
        # The command-line window does not allow it.
        await self.request("nvim_command", "silent! checktime")

    async def step_open_float(self, kind: str, number: int) -> None:
        """Another plugin opens a float."""
        await self.lua(OPEN_FLOAT, kind, number)

    async def step_close_float(self, number: int) -> None:
        """Another plugin closes one of its floats."""
        await self.lua(CLOSE_FLOAT, number)

    async def step_close_float_later(self, number: int) -> None:
        """A timer of another plugin closes one of its floats a little later."""
        await self.lua(CLOSE_FLOAT_LATER, number)

    async def step_notify(self, number: int) -> None:
        """Another plugin shows a notification."""
        await self.lua(NOTIFY, number)

    async def step_chat(self) -> None:
        """The user shows or hides the chat."""
        shown = await self._chat_is_here()
        await self.nvim.keys(f"{TO_NORMAL_MODE}:ClaudeChat<CR>")
        # There may be no room for it, or the key guard of a new diff may have swallowed the keys.
        with contextlib.suppress(Fault):
            await self.until(lambda: self._chat_toggled(shown), "the chat opens or closes", 2)

    async def step_end_chat(self) -> None:
        """The user ends the chat."""
        if not await self._has_chat() or (await self.look()).fields["in_command_window"]:
            return
        await self.nvim.keys(TO_NORMAL_MODE)
        await self.request("nvim_command", "ClaudeChat end")
        await self.until(self._no_chat, "the chat has ended")

    async def step_pause(self) -> None:
        """The user stops typing and leaves all floats: waiting diffs must appear."""
        await self.nvim.keys(TO_NORMAL_MODE)
        fields = (await self.look()).fields
        if fields["in_command_window"]:
            await self.nvim.keys(":quit<CR>")
        if fields["is_recording"]:
            await self.nvim.keys("q")
        if fields["in_float"]:
            await self.lua(GO_TO_TILED)
        try:
            await self.until(self._all_shown, "a waiting diff appears")
        except Fault as fault:
            raise Fault(f"{fault}\n{(await self.look()).summary}") from None

    # Waiting.

    def answers(self) -> dict[int, str]:
        """The client's answers since the last call, by number of the proposal."""
        done = {n: future for n, future in self.pending.items() if future.done()}
        for number in done:
            del self.pending[number]
        answers = {n: _text(future) for n, future in done.items() if not future.cancelled()}
        self.counts.update(answer.partition("\n")[0] for answer in answers.values())
        strange = self.client.notifications_of("?")
        if strange:
            raise Fault(f"an unexpected answer: {strange}")
        return answers

    async def rest(self) -> Sight:
        """Wait until editor and client agree, and decided diffs are closed; return a snapshot."""
        try:
            await self.until(self._is_agreed, "each openDiff waits in the editor or is answered")
        except Fault as fault:
            raise Fault(
                f"{fault}\npending: {list(self.pending)}\n{(await self.look()).summary}"
            ) from None
        return await self.look()

    async def _is_agreed(self) -> bool:
        seen = await self.look()
        waiting = [n for n, future in self.pending.items() if not future.done()]
        is_agreed = len(seen.diffs) == len(waiting)
        return is_agreed and (not seen.is_at_rest or len(seen.proposals) <= len(waiting))

    async def _is_known(self) -> bool:
        return await self._is_agreed()

    async def _all_shown(self) -> bool:
        seen = await self.look()
        return all(diff["shown"] for diff in seen.diffs)

    async def _has_chat(self) -> bool:
        return any(b["name"].find("/claude-chat/") >= 0 for b in (await self.look()).buffers)

    async def _no_chat(self) -> bool:
        return not await self._has_chat()

    async def _chat_is_here(self) -> bool:
        seen = await self.look()
        here = seen.fields["tabpage"]
        tabpages = [t for t in seen.fields["tabpages"] if t["tabpage"] == here]
        return any(w["name"].find("/claude-chat/") >= 0 for t in tabpages for w in t["windows"])

    async def _chat_toggled(self, shown: bool) -> bool:
        return await self._chat_is_here() != shown and await self.lua(HAS_HOST)

    async def _would_quit(self, keys: str) -> bool:
        is_leaving = any(word in keys for word in (":q", "ZZ", "ZQ", ":x", ":wq", "close"))
        seen = await self.look()
        return is_leaving and (len(seen.tiled) == 1 or seen.fields["in_command_window"])


def _text(future: "asyncio.Future[Any]") -> str:
    result = future.result()
    return "\n".join(block["text"] for block in result["content"])
