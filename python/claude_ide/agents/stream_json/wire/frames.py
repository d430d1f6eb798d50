"""Converts lines of bytes to frames (JSON objects) and back."""

import json
import logging
from typing import Any

import msgspec

from claude_ide.unicode import readable

logger = logging.getLogger(__name__)

Frame = dict[str, Any]


def decode_line(line: bytes) -> Frame | None:
    """Decode one line; None if it is not a JSON object."""
    try:
        frame = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        frame = _decode_leniently(line)
    if not isinstance(frame, dict):
        logger.warning("ignored a line that is no frame: %.200r", line)
        return None
    return frame


def encode_line(frame: Frame) -> bytes:
    """Encode one frame in ASCII: the CLI may also treat characters such as U+2028 as line ends."""
    return json.dumps(readable(frame), separators=(",", ":")).encode("ascii")


def _decode_leniently(line: bytes) -> Any:
    # The CLI cuts texts even within a surrogate pair, which leaves invalid Unicode.
    try:
        return readable(json.loads(line.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None
