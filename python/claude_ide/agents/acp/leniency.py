"""Reads messages of agents that follow JSON-RPC almost, or print something before them."""

import re
from typing import Any

import msgspec

from claude_ide.agents.fields import mapping, text
from claude_ide.errors import INTERNAL_ERROR

_BEFORE = re.compile(rb"(?:\s|\xef\xbb\xbf|\x1b\[[0-9;?]*[A-Za-z])*")
"""A mark of the encoding, or orders to a terminal."""

_VERSION, _METHOD, _ERROR = b'"jsonrpc"', b'"method"', b'"error"'


def message(line: bytes) -> bytes | None:
    """Return the message in a line, in valid JSON-RPC if it can be mended; None if there is none.

    A request that is answered in another form would wait for ever.
    """
    found = _BEFORE.match(line)
    line = line[found.end() :] if found else line
    if not line.startswith(b"{"):
        return None
    is_plain = _VERSION in line and (_ERROR not in line or _METHOD in line)
    return line if is_plain else _mended(line)


def _mended(line: bytes) -> bytes:
    try:
        decoded = msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return line
    if not {"id", "method"} & set(decoded):
        return line
    mended: dict[str, Any] = {"jsonrpc": "2.0", **decoded}
    if "method" not in mended and mended.get("error") is not None:
        mended.pop("result", None)
        mended["error"] = _error(mended["error"])
    return msgspec.json.encode(mended)


def _error(error: Any) -> dict[str, Any]:
    fields = mapping(error)
    code = fields.get("code")
    return {
        **fields,
        "code": code if isinstance(code, int) else INTERNAL_ERROR,
        "message": text(fields.get("message")) or text(error) or "unknown error",
    }
