"""The host process: `python -I host.py`, a child of the editor, connected to it over stdio.

`lua/claude_ide/host/process.lua` starts it, or `autoload/claude_ide/host/process.vim` with `--vim`.
`-I` keeps the modules of the user's project off the import path.
"""

import contextlib
import gc
import importlib.util
import os
import signal
import sys

CHECK = "--check"
"""With this argument the host only reports whether this Python can run it."""

OPTIONS = "--options"
"""With this argument it only reports what is wrong with the options that it reads from stdin."""

UNABLE, CANNOT_SERVE = 3, 4
"""Exit codes that both editors know: this Python cannot run the host; it cannot serve."""

FOR_VIM = "--vim"
"""With this argument the editor is Vim, whose host needs no pynvim."""

NEEDED = ("fastjsonschema", "h11", "msgspec", "websockets")
NEEDED_FOR_NEOVIM = ("msgpack", "pynvim")


def main() -> int:
    """Run until the editor closes stdin; on failure the last line of stderr is the reason."""
    # Imports leave too little garbage to be worth collecting.
    gc.disable()
    package = os.path.dirname(os.path.realpath(__file__))
    sys.path.insert(0, os.path.dirname(package))
    if sys.version_info < (3, 11):  # noqa: UP036  this file is run by whatever Python is found
        version = sys.version.split()[0]
        sys.stderr.write(f"claude-ide needs Python 3.11 or newer; this is {sys.executable}\n")
        return _complain(f"Python {version} is too old")
    for_vim = FOR_VIM in sys.argv[1:]
    needed = NEEDED if for_vim else sorted(NEEDED + NEEDED_FOR_NEOVIM)
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        sys.stderr.write(f"{sys.executable} lacks {', '.join(missing)}\n")
        return _complain("Python packages are missing")
    if CHECK in sys.argv[1:]:
        sys.stdout.write(sys.version.split()[0])
        return 0

    if OPTIONS in sys.argv[1:]:
        return _check_options()

    from claude_ide import startup
    from claude_ide.base import names

    if for_vim:
        names.serve_vim()
    startup.options = options = startup.Options.inherited()
    try:
        if options.serve:
            report = _report_to_vim if for_vim else _report_to_neovim
            startup.bound = startup.bind(options, report=report)
        # A closed terminal sends SIGHUP here before the editor ends; only its end matters.
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        _import_websockets()
        return _run_for_vim() if for_vim else _run_for_neovim(options.entry)
    except startup.CannotServe as reason:
        return _complain(str(reason), CANNOT_SERVE)
    finally:
        if (unused := startup.claim_bound()) is not None:
            unused.give_up()


def _check_options() -> int:
    """Print the complaints about options of Neovim, as a list in JSON."""
    import json

    from claude_ide.config import decode

    sys.stdout.write(json.dumps(decode(json.load(sys.stdin))[1]))
    return 0


def _report_to_neovim(*address: int | str) -> None:
    """Send Neovim port, token and lock, over the channel that pynvim uses afterwards."""
    import msgpack

    code = "require('claude_ide.host').bound(...)"
    sys.stdout.buffer.write(msgpack.packb([2, "nvim_exec_lua", [code, address]]))
    sys.stdout.buffer.flush()


def _report_to_vim(*address: int | str) -> None:
    """Send Vim the same, over the pipe that `editor/vim.py` uses afterwards."""
    import json

    sys.stdout.write(json.dumps([0, "host.bound", address]) + "\n")
    sys.stdout.flush()


def _import_websockets() -> None:
    from claude_ide.transport.websockets_import import import_websockets

    import_websockets()


def _run_for_vim() -> int:
    from claude_ide import vim_plugin

    gc.freeze()
    gc.enable()
    vim_plugin.run()
    return 0


def _run_for_neovim(entry: str) -> int:
    import pynvim

    from claude_ide.app import App

    gc.freeze()
    gc.enable()
    # pynvim loads each argument that ends in `.py` as a remote plugin.
    sys.argv = ["", entry]
    # pynvim leaves its loop with an exception when stdin is closed (Neovim ends) or on SIGTERM.
    with contextlib.suppress(Exception):
        pynvim.start_host()
    # On `:qa` both happen together, and pynvim has just restored the default action for SIGTERM.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if App.running is not None:
        App.running.end()
    return 0


def _complain(text: str, code: int = UNABLE) -> int:
    sys.stderr.write(f"{text}\n")
    return code


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # A normal exit would have asyncio send SIGKILL to the children before they can clean up.
    os._exit(code)
