"""A real Neovim under test: embedded, with a UI attached, keys to type and a screen to read.

This is a small msgpack-rpc client, because `pynvim.attach` runs its own loop and so does not work
in pytest-asyncio. The UI is needed: without one Neovim shows no prompts and draws nothing.
"""

import asyncio
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgpack

ROOT = Path(__file__).resolve().parents[2]
WAIT_SECONDS = 30.0
"""How long a test waits for a condition before it fails; a CLI takes long on a busy machine."""
SHORTEST_POLL_SECONDS, LONGEST_POLL_SECONDS = 0.005, 0.025
POLL_SHARE = 0.05
"""The pause before the next poll, as a share of the time waited so far."""


class NvimError(Exception):
    """Neovim answered a request with an error; the text is Neovim's."""


@cache
def nvim_binary() -> str:
    """Return the path of the Neovim to test.

    It is `CLAUDE_IDE_TEST_NVIM` if set, or the one installed with this Python, or on PATH.
    """
    if named := os.environ.get("CLAUDE_IDE_TEST_NVIM"):
        found = shutil.which(named)
    elif script := shutil.which(Path(sys.executable).with_name("nvim")):
        found = _program(script)
    else:
        found = shutil.which("nvim")
    if not found:
        is_missing = f"CLAUDE_IDE_TEST_NVIM={named} is no program"
        raise FileNotFoundError(is_missing if named else "no Neovim; `make test` installs one")
    return str(Path(found).absolute())


def _program(script: str) -> str:
    """Return the path of the Neovim that a script of PyPI's package runs.

    The script starts a Python first, which takes several times as long as Neovim itself.
    """
    command = [script, "--clean", "--headless", "-l", "-"]
    code = "io.stdout:write(vim.v.progpath)"
    done = subprocess.run(command, input=code, capture_output=True, text=True, check=True)
    return done.stdout


@cache
def nvim_version() -> str:
    """Return the version of the Neovim to test: `NVIM v0.11.4`."""
    command = [nvim_binary(), "--version"]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    if not output.startswith("NVIM v"):
        raise FileNotFoundError(f"{command[0]} is no Neovim")
    return output.partition("\n")[0]


async def until(
    condition: Callable[[], Any],
    what: str = "",
    seconds: float = WAIT_SECONDS,
    pause: float | None = None,
) -> Any:
    """Poll `condition` until it is truthy, and return its value; fail after `seconds`.

    The pauses between polls last `pause` seconds, or else grow with the wait: many tests run at
    once, and each poll takes time from the editor that it waits for.
    """
    start = asyncio.get_running_loop().time()
    while True:
        got = condition()
        value = await got if isinstance(got, Awaitable) else got
        if value:
            return value
        waited = asyncio.get_running_loop().time() - start
        if waited > seconds:
            raise AssertionError(f"not within {seconds} s: {what or condition}; last: {value!r}")
        growing = min(max(waited * POLL_SHARE, SHORTEST_POLL_SECONDS), LONGEST_POLL_SECONDS)
        await asyncio.sleep(growing if pause is None else pause)


def clean_environment(home: Path) -> dict[str, str]:
    """Return a minimal environment for an editor, and make the XDG folders in `home`."""
    for name in ("config", "data", "state", "cache"):
        (home / name).mkdir(parents=True, exist_ok=True)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "PYTHONDONTWRITEBYTECODE": "",
        # For the coverage of the host.
        **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")},
    }


class Screen:
    """The default grid as the UI protocol draws it (`:help ui-linegrid`)."""

    def __init__(self, columns: int, rows: int) -> None:
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        self.cells = [[" "] * columns for _ in range(rows)]

    def lines(self) -> list[str]:
        """The rows as text, right-trimmed."""
        return ["".join(row).rstrip() for row in self.cells]

    def text(self) -> str:
        """The whole screen, rows joined by newlines."""
        return "\n".join(self.lines())

    def redraw(self, events: Sequence[Sequence[Any]]) -> None:
        for name, *calls in events:
            for call in calls:
                if name == "grid_line":
                    self._line(*call[:4])
                elif name == "grid_scroll":
                    self._scroll(*call[1:6])
                elif name == "grid_clear":
                    self.resize(len(self.cells[0]), len(self.cells))
                elif name == "grid_resize":
                    self.resize(call[1], call[2])

    def _line(self, _grid: int, row: int, column: int, cells: Sequence[Sequence[Any]]) -> None:
        for text, *rest in cells:
            for _ in range(rest[1] if len(rest) > 1 else 1):
                self.cells[row][column] = text
                column += 1

    def _scroll(self, top: int, bottom: int, left: int, right: int, rows: int) -> None:
        order = range(top, bottom - rows) if rows > 0 else range(bottom - 1, top - rows - 1, -1)
        for row in order:
            self.cells[row][left:right] = self.cells[row + rows][left:right]


class Neovim:
    """One embedded Neovim. Requests raise `NvimError`; notifications land in `notifications`."""

    def __init__(self, process: asyncio.subprocess.Process, columns: int, rows: int) -> None:
        self.process = process
        self.screen = Screen(columns, rows)
        self.notifications: list[tuple[str, list[Any]]] = []
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def start(
        cls,
        *arguments: str,
        cwd: Path,
        home: Path,
        env: Mapping[str, str] | None = None,
        columns: int = 100,
        rows: int = 30,
    ) -> "Neovim":
        """Start `nvim --embed` with this checkout on 'runtimepath' and without the user's config.

        Its XDG folders are in `home`; `env` adds to a minimal environment.
        """
        clean = (
            clean_environment(home) | {"NVIM_LOG_FILE": str(home / "nvim.log")} | {**(env or {})}
        )
        process = await asyncio.create_subprocess_exec(
            *[nvim_binary(), "--embed", "-u", "NORC", "-i", "NONE", "-n"],
            *[
                "--cmd",
                f"set runtimepath^={ROOT}",
                "--cmd",
                f"let g:claude_ide = {{'python': '{sys.executable}'}}",
                # Otherwise the first Python file starts interpreters to find one with pynvim.
                "--cmd",
                "let g:loaded_python3_provider = 0",
            ],
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=cwd,
            env=clean,
        )
        nvim = cls(process, columns, rows)
        await nvim.request("nvim_ui_attach", columns, rows, {"ext_linegrid": True})
        await until(lambda: nvim.eval("v:vim_did_enter"), "Neovim is up")
        return nvim

    async def stop(self) -> None:
        """Kill this Neovim if it is still running, and reap it."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        await self._reader
        assert self.process.stdin
        self.process.stdin.close()

    def send_request(self, method: str, *arguments: Any) -> asyncio.Future[Any]:
        """Send a request now; the future holds its answer."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        number = next(self._ids)
        self._pending[number] = future
        assert self.process.stdin
        self.process.stdin.write(msgpack.packb([0, number, method, list(arguments)]))
        return future

    async def request(self, method: str, *arguments: Any) -> Any:
        """Send a request and await its answer for at most `WAIT_SECONDS` seconds."""
        return await asyncio.wait_for(self.send_request(method, *arguments), WAIT_SECONDS)

    async def lua(self, code: str, *arguments: Any) -> Any:
        """Run a Lua chunk, with the arguments as `...`, and return its result."""
        return await self.request("nvim_exec_lua", code, list(arguments))

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a Vimscript function by its name, and return its result."""
        return await self.request("nvim_call_function", function, arguments)

    async def command(self, text: str) -> None:
        """Run an Ex command as a script does, without typeahead or a prompt."""
        await self.request("nvim_command", text)

    async def eval(self, expression: str) -> Any:
        """Evaluate a Vimscript expression."""
        return await self.request("nvim_eval", expression)

    async def keys(self, keys: str) -> None:
        """Type keys as a user does; names such as `<CR>`, `<Esc>` and `<lt>` are translated."""
        await self.request("nvim_input", keys)

    async def idle(self, milliseconds: int) -> None:
        """Wait for a timer in Neovim, so that work deferred for less time is done."""
        timer = "_G.idle = false; vim.defer_fn(function() _G.idle = true end, ...)"
        await self.lua(timer, milliseconds)
        await until(lambda: self.lua("return _G.idle"), "Neovim's timer")

    async def mode(self) -> dict[str, Any]:
        """Return the mode: `{"mode": "n", "blocking": False}`; this also works at a prompt."""
        mode: dict[str, Any] = await self.request("nvim_get_mode")
        return mode

    async def channel(self) -> int:
        """Return Neovim's id for the RPC channel of this test."""
        info = await self.request("nvim_get_chan_info", 0)
        return int(info["id"])

    def events(self, name: str) -> list[Any]:
        """Return the payloads of the `claude_ide_event` notifications of this name so far."""
        return [a[1] for n, a in self.notifications if n == "claude_ide_event" and a[0] == name]

    async def _read(self) -> None:
        assert self.process.stdout
        unpacker = msgpack.Unpacker(
            raw=False, strict_map_key=False, unicode_errors="surrogateescape", ext_hook=_number
        )
        while chunk := await self.process.stdout.read(65536):
            unpacker.feed(chunk)
            for message in unpacker:
                self._receive(message)
        for future in self._pending.values():
            if not future.done():
                future.set_exception(NvimError("Neovim has exited"))
                future.exception()  # marks it as retrieved, in case no test awaits it

    def _receive(self, message: list[Any]) -> None:
        if message[0] == 1:
            _, number, error, result = message
            future = self._pending.pop(number)
            if future.done():
                return
            if error:
                future.set_exception(NvimError(error[1]))
            else:
                future.set_result(result)
        elif message[0] == 2:
            _, name, arguments = message
            if name == "redraw":
                self.screen.redraw(arguments)
            else:
                self.notifications.append((name, arguments))


def _number(_kind: int, data: bytes) -> Any:
    """Return the number of a buffer, a window or a tabpage for its handle."""
    return msgpack.unpackb(data)
