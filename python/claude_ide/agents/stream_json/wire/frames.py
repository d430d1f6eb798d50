"""Converts lines of bytes to frames (JSON objects) and back; reads fields of any type safely.

The set of frames and fields grows with every version of the CLI. So a field is read as the type
that it should have; a value of another type counts as empty.
"""

import json
import logging
from typing import Any

import msgspec

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
    return json.dumps(frame, separators=(",", ":")).encode("ascii")


def _decode_leniently(line: bytes) -> Any:
    # The CLI cuts texts even within a surrogate pair, which leaves invalid Unicode.
    try:
        decoded = json.loads(line.decode("utf-8", "replace"))
        whole = json.dumps(decoded, ensure_ascii=False).encode("utf-16", "surrogatepass")
        return json.loads(whole.decode("utf-16", "replace"))
    except (ValueError, RecursionError):
        return None


def text(value: Any) -> str:
    """Return the value if it is a string, otherwise ""."""
    return value if isinstance(value, str) else ""


def integer(value: Any) -> int | None:
    """Return the value if it is an integer, otherwise None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number(value: Any) -> float | None:
    """Return the value if it is a number, otherwise None."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def mapping(value: Any) -> dict[str, Any]:
    """Return the value if it is an object, otherwise {}."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """Return the value if it is an array, otherwise []."""
    return value if isinstance(value, list) else []


def mappings(value: Any) -> list[dict[str, Any]]:
    """Return the objects in an array; [] if the value is no array."""
    return [item for item in sequence(value) if isinstance(item, dict)]


def strings(value: Any) -> tuple[str, ...]:
    """Return the strings in an array; () if the value is no array."""
    return tuple(item for item in sequence(value) if isinstance(item, str))
