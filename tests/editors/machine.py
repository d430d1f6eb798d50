"""A user, a client, plugins and other programs act on one editor in random order."""

import asyncio
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import hypothesis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from editors import repeat
from editors.rules import Fault
from editors.world import FILES, PLUGINS, World

DECISIONS = (":w<CR>", ":q<CR>", "ZZ", ":x<CR>", ":ClaudeAccept<CR>", ":ClaudeReject<CR>")
WINDOWS = (
    *("<C-w>w", "<C-w>p", "<C-w>s", "<C-w>v", "<C-w>o", "<C-w>c", "<C-w>=", "<C-w>T", "<C-w>_"),
    *(":only<CR>", ":split<CR>", ":vsplit b.txt<CR>", ":tabnew<CR>", ":tab split<CR>"),
    *(":tabclose<CR>", ":tabonly<CR>", "gt", "g<Tab>", "<C-w>5+", "<C-w>H"),
)
BUFFERS = (
    *(":e b.txt<CR>", ":e c.txt<CR>", ":bnext<CR>", ":bd<CR>", ":bd!<CR>", ":q!<CR>", ":enew<CR>"),
    *("<C-^>", "<C-o>", "\\bd", ":wa<CR>", ":e!<CR>", ":wall|e a.txt<CR>"),
)
MODES = ("v", "V", "i", "A", "R", "q:", "/a", ":", "d", '"', "qa", "G", "zf3j")
FLOATS = ("editor", "label", "elsewhere", "focus")
DEADLY = {"explorer", "stray_floats"}
"""Neovim 0.11 crashes with both of them: see `sidebar_alone_with_stray_floats.lua`."""


def can_meet(plugins: list[str]) -> bool:
    """Whether Neovim survives this combination of plugins when ours is not installed."""
    return not set(plugins) >= DEADLY


class EditorMachine(RuleBasedStateMachine):
    """A stateful test with a new Neovim for each round."""

    continues = False
    """Whether to record a fault and continue instead of failing."""
    faults: dict[str, Path] = {}  # noqa: RUF012
    counts: Counter[str] = Counter()  # noqa: RUF012
    """How often each step was carried out, and how often each result occurred."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.typed = 0
        self.world: World | None = None

    @initialize(
        plugins=st.lists(st.sampled_from(PLUGINS), unique=True, max_size=4).filter(can_meet),
        layout=st.sampled_from(["tab", "vertical", "horizontal"]),
        side=st.sampled_from(["right", "below", "float", "tab"]),
    )
    def start(self, plugins: list[str], layout: str, side: str) -> None:
        self.counts["rounds"] += 1
        if self.continues and self.counts["rounds"] % 25 == 0:
            print(dict(self.counts), list(self.faults), flush=True)
        world = World(Path(self.folder.name).resolve(), tuple(plugins), layout, side)
        self.loop.run_until_complete(world.start())
        self.world = world

    def do(self, name: str, *values: Any) -> None:
        """Carry out a step; record a fault as a script that repeats it."""
        if self.world is None:
            return
        try:
            self.loop.run_until_complete(self.world.do(name, *values))
        except Fault as fault:
            script = repeat.write(self.world, fault)
            self.faults[repeat.signature(fault)] = script
            hypothesis.note(script.read_text(encoding="utf-8"))
            if not self.continues:
                raise
            self._stop()

    def teardown(self) -> None:
        self._stop()
        self.loop.close()
        self.folder.cleanup()

    def _stop(self) -> None:
        if self.world is not None:
            self.counts.update(self.world.counts)
            self.loop.run_until_complete(self.world.stop())
        self.world = None

    # Steps of the user.

    @rule(keys=st.sampled_from(DECISIONS))
    def decide(self, keys: str) -> None:
        self.do("keys", keys)

    @rule(keys=st.sampled_from(WINDOWS))
    def arrange(self, keys: str) -> None:
        self.do("keys", keys)

    @rule(keys=st.sampled_from(BUFFERS))
    def change_buffers(self, keys: str) -> None:
        self.do("keys", keys)

    @rule(keys=st.sampled_from(MODES))
    def begin_something(self, keys: str) -> None:
        self.do("keys", keys)

    @rule(end=st.sampled_from(["<Esc>", ""]))
    def type(self, end: str) -> None:
        self.typed += 1
        self.do("keys", f"otyped-{self.typed} {end}")

    @rule(keys=st.sampled_from(["abc", "<Esc>", "<Tab>"]))
    def type_on(self, keys: str) -> None:
        self.do("keep_typing", keys)

    @rule()
    def pause(self) -> None:
        self.do("pause")

    # Steps of Claude.

    @rule(file=st.sampled_from((*FILES, "new.txt")), change=st.sampled_from(["small", "all"]))
    def propose(self, file: str, change: str) -> None:
        self.do("open_diff", file, change)

    @rule(file=st.sampled_from(FILES))
    def propose_and_wait(self, file: str) -> None:
        self.do("open_diff", file, "small")
        self.do("pause")

    @rule(file=st.sampled_from(FILES), keys=st.sampled_from(DECISIONS))
    def review(self, file: str, keys: str) -> None:
        self.do("open_diff", file, "small")
        self.do("pause")
        self.do("keys", keys)

    @rule(file=st.sampled_from(FILES), ending=st.sampled_from(["close_all", "reconnect"]))
    def withdraw_from_elsewhere(self, file: str, ending: str) -> None:
        self.do("open_diff", file, "small")
        self.do("pause")
        self.do("keys", ":tabprevious<CR>")
        self.do(ending)

    @rule(which=st.integers(0, 2))
    def close_tab(self, which: int) -> None:
        self.do("close_tab", which)

    @rule()
    def close_all(self) -> None:
        self.do("close_all")

    @rule(file=st.sampled_from(FILES))
    def open_file(self, file: str) -> None:
        self.do("open_file", file)

    @rule()
    def diagnose(self) -> None:
        self.do("diagnose")

    @rule()
    def reconnect(self) -> None:
        self.do("reconnect")

    # Steps in the chat.

    @rule()
    def chat(self) -> None:
        self.do("chat")

    @rule()
    def end_chat(self) -> None:
        self.do("end_chat")

    # Steps of plugins and other programs.

    @rule(file=st.sampled_from(FILES), text=st.sampled_from(["other\n", "one\ntwo\n", ""]))
    def write_disk(self, file: str, text: str) -> None:
        self.do("write_disk", file, text)

    @rule(kind=st.sampled_from(FLOATS), number=st.integers(0, 3))
    def open_float(self, kind: str, number: int) -> None:
        self.do("open_float", kind, number)

    @rule(number=st.integers(0, 3))
    def close_float(self, number: int) -> None:
        self.do("close_float", number)

    @rule(number=st.integers(0, 3))
    def close_float_later(self, number: int) -> None:
        self.do("close_float_later", number)

    @rule(number=st.integers(0, 3))
    def notify(self, number: int) -> None:
        self.do("notify", number)


def settings(rounds: int, steps: int, **options: Any) -> hypothesis.settings:
    """Settings for a number of rounds and steps, without a time limit for a single example."""
    return hypothesis.settings(
        max_examples=rounds,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        **options,
    )


STEPS = int(os.environ.get("STEPS", "20"))
