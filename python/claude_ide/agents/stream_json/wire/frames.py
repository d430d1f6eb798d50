"""Lines and frames: bytes come in, JSON objects leave, and back; and reading what may be anything.

The set of frames and of their fields grows with every version of the CLI, so a field is read as
what it should be, and where it is something else, as empty.
"""

import json
import logging
from typing import Any

import msgspec

logger = logging.getLogger(__name__)

Frame = dict[str, Any]


def decode_line(line: bytes) -> Frame | None:
    """Decode one line; None for what is not a JSON object."""
    try:
        frame = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        frame = _decode_leniently(line)
    if not isinstance(frame, dict):
        logger.warning("ignored a line that is no frame: %.200r", line)
        return None
    return frame


def encode_line(frame: Frame) -> bytes:
    """Encode one frame; ASCII, since the CLI's input has more than one idea of a line's end."""
    return json.dumps(frame, separators=(",", ":")).encode("ascii")


def _decode_leniently(line: bytes) -> Any:
    # The CLI cuts texts anywhere, in the middle of a surrogate pair too, which is not Unicode.
    try:
        decoded = json.loads(line.decode("utf-8", "replace"))
        whole = json.dumps(decoded, ensure_ascii=False).encode("utf-16", "surrogatepass")
        return json.loads(whole.decode("utf-16", "replace"))
    except (ValueError, RecursionError):
        return None


def text(value: Any) -> str:
    """Return a string, or an empty one."""
    return value if isinstance(value, str) else ""


def integer(value: Any) -> int | None:
    """Return a whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number(value: Any) -> float | None:
    """Return a number, or None."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def mapping(value: Any) -> dict[str, Any]:
    """Return an object, or an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """Return an array, or an empty one."""
    return value if isinstance(value, list) else []


def mappings(value: Any) -> list[dict[str, Any]]:
    """Return the objects in an array."""
    return [item for item in sequence(value) if isinstance(item, dict)]


def strings(value: Any) -> tuple[str, ...]:
    """Return the strings in an array."""
    return tuple(item for item in sequence(value) if isinstance(item, str))
