#!/usr/bin/env python3
"""A stand-in for the CLI's sessions in the background: it keeps the records that the CLI keeps.

Its sessions are processes that sleep; tests do their work. `rm` refuses what the CLI refuses.
"""

import json
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

CONFIG = Path(os.environ.get("CLAUDE_CONFIG_DIR", "."))
SLEEPS = ["sleep", "1000"]


def git(folder: Path | str, *words: str) -> str:
    """Return what git says; empty if it fails."""
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a record at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".new").write_text(json.dumps(content))
    path.with_suffix(".new").replace(path)


def started(pid: int) -> str:
    """Return when a process started, as the records have it."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def lives(record: dict[str, Any]) -> bool:
    """Return whether the process of a record runs."""
    try:
        fields = Path(f"/proc/{record['pid']}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] != "Z" and fields[19] == record["procStart"]


def running(config: Path = CONFIG) -> list[dict[str, Any]]:
    """Return the records of what runs."""
    found = [json.loads(path.read_text()) for path in (config / "sessions").glob("*.json")]
    return [each for each in found if lives(each)]


def begin(words: list[str]) -> None:
    """Begin a session, as `--bg` does."""
    given = dict(each.partition("=")[::2] for each in words if each.startswith("--name="))
    name = given.get("--name", "a session")
    project = folder = Path.cwd()
    has_worktree = any(each.startswith("--worktree") for each in words)
    if has_worktree:
        folder = project / ".claude/worktrees" / name
        branch = f"worktree-{name}"
        if not folder.exists():
            git(project, "worktree", "add", "-B", branch, str(folder))
    sleeping = subprocess.Popen(SLEEPS, cwd=folder, start_new_session=True, stdout=2)
    id_, pid = secrets.token_hex(4), sleeping.pid
    if has_worktree:
        reason = f"claude session {name} (pid {pid} start {started(pid)})"
        git(project, "worktree", "lock", str(folder), "--reason", reason)
    state = {"name": name, "cwd": str(folder), "sessionId": f"{id_}-1", "state": "working"}
    write(CONFIG / f"jobs/{id_}/state.json", state)
    record = {"pid": pid, "procStart": started(pid), "sessionId": f"{id_}-1", "cwd": str(folder)}
    record |= {"kind": "bg", "jobId": id_, "status": "busy", "name": name}
    write(CONFIG / f"sessions/{pid}.json", record)
    print(f"backgrounded · {id_} · {name}")


def stop(id_: str) -> None:
    """End a session, whose record stays in the list."""
    for each in running():
        if each["jobId"] == id_:
            os.kill(each["pid"], 9)
            (CONFIG / f"sessions/{each['pid']}.json").unlink(missing_ok=True)
            print(f"stopped {id_}")
            return
    sys.exit(f"No job matching '{id_}'")


def remove(id_: str) -> None:
    """Remove a session with its worktree, unless that would lose work."""
    state = CONFIG / f"jobs/{id_}/state.json"
    if not state.exists():
        sys.exit(f"No job matching '{id_}'")
    folder = Path(json.loads(state.read_text())["cwd"])
    if folder.exists() and ".claude/worktrees" in str(folder):
        if git(folder, "status", "--porcelain"):
            sys.exit(f"kept {id_}: uncommitted changes, commit or stash them")
        if git(folder, "log", "--format=%h", "HEAD", "--not", "--exclude=worktree-*", "--branches"):
            sys.exit(f"kept {id_}: unpushed commits")
        git(folder.parents[2], "worktree", "remove", "-f", "-f", str(folder))
        git(folder.parents[2], "branch", "-D", f"worktree-{folder.name}")
    state.unlink()
    state.parent.rmdir()
    print(f"removed {id_}")


def main(words: list[str]) -> None:
    """Run a command of the CLI."""
    match words:
        case ["--bg", *rest]:
            begin(rest)
        case ["attach", name]:
            print(f"attached to {name}", flush=True)
            time.sleep(1000)  # noqa: TID251  it shows a session until its terminal ends
        case ["stop", id_]:
            stop(id_)
        case ["rm", id_]:
            remove(id_)
        case ["agents", "--json"]:
            print(json.dumps([each | {"id": each["jobId"]} for each in running()]))
        case _:
            sys.exit(f"not expected: {words}")


if __name__ == "__main__":
    main(sys.argv[1:])
