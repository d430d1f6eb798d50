"""The editor's tools over stdio: `python -I stdio.py`, or `python -m claude_ide.mcp.stdio`.

This process is for MCP clients that can only start a server: agents of the chat, and other hosts.
It relays their messages to the host of a Neovim. `registration.py` explains how it finds one.
"""

import gc
import os
import signal
import sys

LOST, CANNOT_SERVE = 1, 2
"""Exit codes: the server went away; there is no server, or it refuses us."""


def main() -> int:
    """Relay until the client closes stdin; on failure stderr has one line with the reason."""
    # Imports leave too little garbage to be worth collecting.
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if not __package__:
        # Run as a file, it has to find its package itself.
        here = os.path.realpath(__file__)
        sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(here))))
    # Only messages may be on stdout, so everything else is sent to stderr.
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        from claude_ide.transport.websockets_import import import_websockets

        import_websockets()
        from claude_ide.mcp import registration, relay
        from claude_ide.transport.admission import TOOLS_PATH
    except ImportError as error:
        return _complain(f"{sys.executable} lacks {error.name} (:ClaudeInstall)")
    try:
        port, token = registration.find(os.environ, os.getcwd)
    except registration.NoServer as reason:
        return _complain(str(reason))
    try:
        line = relay.Line(port, token, TOOLS_PATH)
    except relay.EndpointRefusedError as refused:
        return _complain(f"the server at port {port} refuses: {refused}")
    except OSError as error:
        return _complain(f"no editor serves at port {port}: {error.strerror or error}")
    gc.freeze()
    gc.enable()
    if relay.Relay(line, sys.stdin.buffer, outgoing).run():
        return 0
    return _complain(relay.GONE, LOST)


def _complain(text: str, code: int = CANNOT_SERVE) -> int:
    sys.stderr.write(f"claude-ide: {text}\n")
    return code


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    # A thread may still wait for stdin, at which a normal exit would fail.
    os._exit(code)
