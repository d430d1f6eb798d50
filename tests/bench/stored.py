"""Session files as the CLI writes them, of any size."""

import json
import re
import uuid
from pathlib import Path
from typing import Any

from bench.talker import PARAGRAPH

OUTPUT = "\n".join(f"src/module{number}.py:{number}: in some_function" for number in range(40))
NEW = [f"+    value{number} = compute({number})" for number in range(12)]
PATCH = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 12, "lines": ["-one", *NEW]}


def folder(config: Path, project: Path) -> Path:
    """Create and return the folder of the session files of a project."""
    path = config / "projects" / re.sub(r"[^a-zA-Z0-9]", "-", str(project.resolve()))
    path.mkdir(parents=True, exist_ok=True)
    return path


def write_session(kept: Path, size: int) -> tuple[str, int]:
    """Write a session of at least `size` bytes; return its id and the number of its turns."""
    session, turns, written = str(uuid.uuid4()), 0, 0
    with (kept / f"{session}.jsonl").open("w", encoding="utf-8") as file:
        while written < size or not turns:
            turns += 1
            for line in _turn(turns):
                line |= {"uuid": str(uuid.uuid4()), "sessionId": session}
                written += file.write(f"{json.dumps(line)}\n")
    return session, turns


def _turn(number: int) -> list[dict[str, Any]]:
    bash, edit = f"toolu_b{number}", f"toolu_e{number}"
    question = f"Question {number}: what is wrong in here?"
    thought, texts = {"type": "thinking", "thinking": PARAGRAPH}, {"old_string": "one"}
    return [
        _line("user", _text(question)),
        _line("assistant", thought, _use(bash, "Bash", command="make")),
        _line("user", _result(bash, OUTPUT)),
        _line("assistant", _use(edit, "Edit", file_path="/p/a.py", new_string="two", **texts)),
        _line("user", _result(edit, "updated"))
        | {"toolUseResult": {"filePath": "/p/a.py", "structuredPatch": [PATCH]}},
        _line("assistant", _text(f"{PARAGRAPH * 4}\nAnswer {number}")),
    ]


def _line(role: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    message = {"id": f"msg_{uuid.uuid4()}", "role": role, "model": "m", "content": list(blocks)}
    return {"type": role, "message": message}


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def _use(id_: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def _result(id_: str, output: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": output}
