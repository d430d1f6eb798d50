"""The host process: `python -I host.py`, a child of Neovim that talks to it over stdio.

Started by `lua/claude_ide/host/process.lua`. `-I` keeps modules of the user's project off the path.
"""

import contextlib
import gc
import importlib.util
import os
import signal
import sys

UNABLE, UNSERVED = 3, 4
"""Exit codes that `host/death.lua` knows: this Python cannot run the host; it cannot serve."""

NEEDED = ("msgpack", "msgspec", "pynvim", "websockets")


def main() -> int:
    """Run until Neovim closes stdin; the last line of stderr says why, if it could not run."""
    # While modules are imported nothing becomes garbage that would be worth the search.
    gc.disable()
    package = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, os.path.dirname(package))
    if sys.version_info < (3, 11):  # noqa: UP036  this file is run by whatever Python is found
        version = sys.version.split()[0]
        return _complain(f"Python {version} is too old; claude-ide needs 3.11+: {sys.executable}")
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        return _complain(f"run :ClaudeInstall; Python packages are missing: {', '.join(missing)}")

    from claude_ide import startup

    startup.options = options = startup.Options.inherited()
    try:
        if options.serve:
            startup.bound = startup.bind(options)
            _tell_neovim(startup.bound.port, startup.bound.lock.authToken)
        # A closed terminal hangs us up before it ends Neovim, whose end is the one that counts.
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        return _run(options.entry)
    except startup.Unserved as reason:
        return _complain(str(reason), UNSERVED)
    finally:
        if (unused := startup.take_bound()) is not None:
            unused.give_up()


def _tell_neovim(port: int, token: str) -> None:
    """Tell Neovim the address, over the channel that pynvim takes over afterwards."""
    import msgpack

    code = "require('claude_ide.host').bound(...)"
    sys.stdout.buffer.write(msgpack.packb([2, "nvim_exec_lua", [code, [port, token]]]))
    sys.stdout.buffer.flush()


def _run(entry: str) -> int:
    import_websockets()
    import pynvim

    from claude_ide.app import App

    gc.freeze()
    gc.enable()
    # pynvim loads each argument that ends in `.py` as a remote plugin.
    sys.argv = ["", entry]
    # pynvim leaves its loop by an exception: stdin was closed (Neovim ends), or SIGTERM.
    with contextlib.suppress(Exception):
        pynvim.start_host()
    # On `:qa` both come together, and pynvim has just restored the default for SIGTERM.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if App.running is not None:
        App.running.end()
    return 0


def import_websockets() -> None:
    """Import it without `importlib.metadata`, which takes a tenth of a start.

    Only a version of it that was not released looks into that.
    """
    name = "importlib.metadata"
    placeholder = sys.modules.setdefault(name, type(sys)(name))
    try:
        import websockets  # noqa: F401
    except AttributeError:
        pass  # it was not released; the next import finds the module itself
    finally:
        if not hasattr(placeholder, "version"):
            del sys.modules[name]


def _complain(text: str, code: int = UNABLE) -> int:
    sys.stderr.write(f"{text}\n")
    return code


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    # In Python's own end asyncio would send SIGKILL to the children, before they can clean up.
    os._exit(code)
