"""The session files of the real CLI: found, written and made longer."""

import itertools
import json
import uuid
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def session_file(config: Path, words: str) -> Path:
    """Return the session file that contains `words`."""
    files = (config / "projects").glob("*/*.jsonl")
    return next(file for file in files if words in file.read_text(encoding="utf-8"))


def line(role: str, *blocks: dict[str, Any] | str, **more: Any) -> bytes:
    """Return a line with a message: of blocks, or of words."""
    content = blocks[0] if blocks and isinstance(blocks[0], str) else blocks
    record = {"type": role, "message": {"role": role, "content": content}} | more
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def lengthen(file: Path, turns: int, lines: int = 9) -> None:
    """Repeat the first turn, as `Question 1`, `Question 2` and so on, with longer answers."""
    recorded = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    question = next(line for line in recorded if line["type"] == "user")
    answer = next(line for line in recorded if line["type"] == "assistant")
    last = [line for line in recorded if "uuid" in line][-1]["uuid"]
    with file.open("a", encoding="utf-8") as session:
        for number in range(1, turns + 1):
            words = [f"Answer {number}", *(f"{number}.{line}" for line in range(2, lines + 1))]
            texts = (f"Question {number}", [{"type": "text", "text": "\n".join(words)}])
            for like, content in zip((question, answer), texts, strict=True):
                line = _repeated(like, content, last)
                last = line["uuid"]
                session.write(f"{json.dumps(line)}\n")


_ids = itertools.count(1)


def _repeated(line: Line, content: Any, parent: str) -> Line:
    message = line["message"] | {"content": content, "id": f"msg_repeated_{next(_ids)}"}
    return line | {"message": message, "uuid": str(uuid.uuid4()), "parentUuid": parent}
