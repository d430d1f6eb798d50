"""A real Vim under test: in a terminal, with keys to type and a screen to read.

The names are those of `support.neovim.Neovim`, so that a test can run in both. Questions take
another way than keys: Vim opens a channel to the test (`door.vim`), and answers also at a prompt.
"""

import asyncio
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from support.neovim import ROOT, WAIT_SECONDS, clean_environment, until
from support.terminal import Terminal
from support.vim_keys import encode

DOOR = Path(__file__).with_name("door.vim")
NEEDED = ("channel", "job", "popupwin", "terminal")
"""The features of Vim that the plugin and the tests need."""

SHORT = 2000
"""The maximum length of a message to Vim, in bytes; a longer one goes through a file."""

LONG = 2**28
"""The maximum length of an answer in bytes, which only has to be beyond any test's."""


class VimError(Exception):
    """Vim answered with an error, whose text is Vim's, or it has exited."""


def vim_binary() -> str:
    """Return the path of the Vim to test: `CLAUDE_IDE_TEST_VIM` if set, or the one on PATH."""
    named = os.environ.get("CLAUDE_IDE_TEST_VIM")
    found = shutil.which(named or "vim")
    if not found:
        is_missing = f"CLAUDE_IDE_TEST_VIM={named} is no program"
        raise FileNotFoundError(is_missing if named else "no Vim; Debian: apt-get install vim")
    return str(Path(found).resolve())


@cache
def vim_version() -> str:
    """Return the version of the Vim to test: `VIM 9.0.1378`; it must have what is needed."""
    binary = vim_binary()
    command = [binary, "--version"]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    first, _, rest = output.partition("\n")
    if not first.startswith("VIM - "):
        raise FileNotFoundError(f"{binary} is no Vim")
    if missing := [f"+{name}" for name in NEEDED if f"+{name}" not in output.split()]:
        raise FileNotFoundError(f"{binary} was built without {' '.join(missing)}")
    patches = rest.partition("Included patches: ")[2].partition("\n")[0].partition(",")[0]
    return f"VIM {first.split()[4]}.{patches.rpartition('-')[2] or 0}"


def runtime(binary: str) -> dict[str, str]:
    """Return the variable for a Vim in an unpacked package, which looks in the system's folder."""
    root = Path(binary).parents[2]
    runtimes = sorted((root / "usr/share/vim").glob("vim9?"))
    return {"VIMRUNTIME": str(runtimes[-1])} if runtimes and root != Path("/") else {}


def setup(port: int) -> list[str]:
    """Return the arguments that load this checkout into a Vim, which then connects to `port`."""
    commands = [
        f"source {DOOR}",
        f"call TestDoor('127.0.0.1:{port}')",
        f"set runtimepath^={ROOT}",
        f"let g:claude_ide = {{'python': '{sys.executable}'}}",
        # As in Neovim, and for all users but those who have neither defaults.vim nor this line.
        "filetype plugin indent on",
        # `encode` leaves nothing that would have to be waited for.
        "set ttimeout ttimeoutlen=0",
    ]
    return [argument for command in commands for argument in ("--cmd", command)]


class Vim:
    """One Vim in its own terminal, which is `screen`. Requests raise `VimError`."""

    def __init__(
        self,
        screen: Terminal,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        temporary: tempfile.TemporaryDirectory[str],
    ) -> None:
        self.screen = screen
        self.process = screen.process
        self._writer = writer
        self._temporary = temporary
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._reader = asyncio.create_task(self._read(reader))
        self.notifications: list[tuple[str, Any]] = []

    @classmethod
    async def start(
        cls,
        *arguments: str,
        cwd: Path,
        home: Path,
        env: Mapping[str, str] | None = None,
        columns: int = 100,
        rows: int = 30,
        swap_files: bool = False,
    ) -> "Vim":
        """Start Vim with this checkout on 'runtimepath' and without the user's config.

        Its home is `home`; `env` adds to a minimal environment. Returns when Vim has started, or
        stands at a prompt before that.
        """
        binary = vim_binary()
        # A Vim that is killed leaves its temporary files. Paths of sockets must be short, so that
        # these are not in `home`.
        temporary = tempfile.TemporaryDirectory(prefix="vim-", ignore_cleanup_errors=True)
        clean = {**clean_environment(home), "TMPDIR": temporary.name}
        clean |= runtime(binary) | {**(env or {})}
        knock: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
        knock = asyncio.get_running_loop().create_future()
        door = await asyncio.start_server(
            lambda *streams: knock.set_result(streams), "127.0.0.1", limit=LONG
        )
        screen = await Terminal.start(
            *[binary, "-N", "-u", "NORC", "-i", "NONE", *([] if swap_files else ["-n"])],
            *setup(door.sockets[0].getsockname()[1]),
            *arguments,
            cwd=cwd,
            env=clean,
            columns=columns,
            rows=rows,
        )
        try:
            await until(lambda: knock.done() or screen.process.returncode is not None, "the door")
            if not knock.done():
                raise VimError(f"Vim did not start:\n{screen.text()}")
        except BaseException:
            await screen.stop()
            temporary.cleanup()
            raise
        finally:
            door.close()
        vim = cls(screen, *knock.result(), temporary)
        await until(lambda: vim.eval("v:vim_did_enter || mode() =~ '^[r!]'"), "Vim is up")
        return vim

    async def stop(self) -> None:
        """Kill this Vim if it is still running, and reap it."""
        await self.screen.stop()
        # A job that outlives Vim has inherited the connection.
        self._writer.close()
        await self._reader
        self._temporary.cleanup()

    def send_request(self, name: str, *arguments: Any) -> asyncio.Future[Any]:
        """Send a request now; the future holds its answer. `name` is a function of `door.vim`."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if self._reader.done():
            future.set_exception(VimError("Vim has exited"))
            return future
        number = next(self._ids)
        self._pending[number] = future
        # In Vim9 script, where a prompt may be waiting, only `g:` names a global function.
        message = json.dumps(["call", f"g:{name}", arguments, -number])
        if len(message) > SHORT:
            path = Path(self._temporary.name, f"request{number}.json")
            path.write_text(json.dumps([name, arguments]))
            message = json.dumps(["call", "g:TestFromFile", [str(path)], -number])
        self._writer.write(message.encode() + b"\n")
        return future

    async def request(self, name: str, *arguments: Any) -> Any:
        """Send a request and await its answer for at most `WAIT_SECONDS` seconds."""
        return await asyncio.wait_for(self.send_request(name, *arguments), WAIT_SECONDS)

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a function by its name, and return its result."""
        return await self.request("TestCall", function, arguments)

    async def command(self, text: str) -> None:
        """Run an Ex command as a script does, without typeahead; what it says is shown."""
        await self.request("TestCommand", text)

    async def eval(self, expression: str) -> Any:
        """Evaluate a Vimscript expression; bytes that are not UTF-8 become U+FFFD on the way."""
        return await self.request("TestEval", expression)

    async def keys(self, keys: str) -> None:
        """Type keys as a user does; names such as `<CR>`, `<Esc>` and `<lt>` are translated.

        Vim has read them afterwards, and handles them before it answers the next request. If it
        is busy, they remain typed ahead.
        """
        first, *others = encode(keys)
        await self.screen.type_and_wait(first)
        for portion in others:
            await asyncio.wait([self.send_request("TestEval", "1")], timeout=1.0)
            await self.screen.type_and_wait(portion)

    async def idle(self, milliseconds: int) -> None:
        """Wait for a timer in Vim, so that work deferred for less time is done."""
        await self.command(
            "let g:test_idle = 0"
            f" | call timer_start({milliseconds}, {{-> execute('let g:test_idle = 1')}})"
        )
        await until(lambda: self.eval("g:test_idle"), "Vim's timer")

    async def mode(self) -> dict[str, Any]:
        """Return the mode: `{"mode": "n", "blocking": False}`; this also works at a prompt.

        Vim is "blocking" at a prompt; unlike Neovim, it does not tell that a key is half-typed.
        """
        mode = await self.eval("mode(1)")
        return {"mode": mode, "blocking": mode[0] in "r!"}

    def events(self, name: str) -> list[Any]:
        """Return what Vim has sent under this name so far, by `ch_sendexpr` over the door."""
        return [data for each, data in self.notifications if each == name]

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the terminal, as a user who drags its corner."""
        self.screen.resize(columns, rows)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                self._receive(*json.loads(line.decode("utf-8", "surrogateescape")))
        except ConnectionResetError:
            pass
        for future in self._pending.values():
            if not future.done():
                future.set_exception(VimError("Vim has exited"))
                future.exception()  # marks it as retrieved, in case no test awaits it

    def _receive(self, number: int, answer: Any) -> None:
        if number > 0:
            self.notifications.append(tuple(answer))
            return
        future = self._pending.pop(-number)
        if future.done():
            return
        match answer:
            case {"ok": encoded}:
                future.set_result(json.loads(encoded))
            case {"error": reason}:
                future.set_exception(VimError(reason))
            case _:
                future.set_exception(VimError(f"Vim reported no reason: {answer!r}"))
