"""`base/program.py`: other processes."""

import os
import subprocess

from claude_ide.base import program


def test_a_lineage_begins_with_the_process_and_its_parent() -> None:
    assert program.lineage(os.getpid())[:2] == [os.getpid(), os.getppid()]


def test_a_lineage_of_an_unknown_process_is_only_itself() -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()

    assert program.lineage(ended.pid) == [ended.pid, 0]
    assert program.lineage(0) == [0]
