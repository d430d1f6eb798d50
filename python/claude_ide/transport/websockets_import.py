"""Imports `websockets` quickly: the user waits for the host, and an agent for its MCP server."""

import sys


def import_websockets() -> None:
    """Import `websockets` without `importlib.metadata`, which would take a tenth of the startup.

    Only unreleased versions of `websockets` use that module.
    """
    name = "importlib.metadata"
    placeholder = sys.modules.setdefault(name, type(sys)(name))
    try:
        import websockets  # noqa: F401
    except AttributeError:
        pass  # an unreleased version; the next import finds the real module
    finally:
        if not hasattr(placeholder, "version"):
            del sys.modules[name]
