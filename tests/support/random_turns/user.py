"""A user who does random things in a chat of the real CLI, and checks everything after each."""

import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

from support.claude_cli import cli_in, wait_until_saved
from support.fake_api import Block, text, thinking, tool_use
from support.neovim import Neovim, until
from support.panel import Panel
from support.random_turns import texts
from support.random_turns.hands import Hands
from support.random_turns.model import RandomModel


class RandomUser(Hands):
    """Does one random step after the other."""

    def __init__(
        self, seed: int, nvim: Neovim, panel: Panel, model: RandomModel, project: Path, config: Path
    ) -> None:
        super().__init__(seed, nvim, panel, model)
        self.project, self.config = project, config
        self.steps: list[str] = []
        self._prompts = self._answers = self._files = 0
        self._ran: list[str] = []
        self._joined: set[str] = set()
        """The prompts that the CLI may have joined with others."""
        self._session = ""
        self._compacted = 0
        model.random = Random(seed)
        model.gate.set()

    async def step(self) -> None:
        """Do something, and compare all records of the conversation."""
        action, _ = self.random.choices(STEPS, [weight for _, weight in STEPS])[0]
        self.steps.append(action.__name__)
        await action(self)
        await self.idle()
        await self.check()

    # What the user does.

    async def ask(self) -> None:
        """Ask for an answer."""
        prompt, said = self._prompt(), self._say()
        await self._send(prompt)
        await self._ended(said)
        self.record.expect(prompt, said)

    async def ask_about_a_file(self) -> None:
        """Mention a file."""
        path = self._file()
        prompt, said = self._prompt(f"about @{path.name}#L1"), self._say()
        await self._send(prompt)
        await self._ended(said)
        self.record.expect(prompt, said)

    async def allow_a_command(self) -> None:
        """Allow a command of the model."""
        await self._command("y")

    async def deny_a_command(self) -> None:
        """Deny a command of the model."""
        await self._command("n")

    async def steer(self) -> None:
        """Send a prompt to a turn that waits for an answer."""
        prompt, before, steering = self._prompt(), self._said(), self._prompt()
        said = self._said()
        self.model.script([before[1], tool_use("Bash", command=f"touch {self._new_name()}")])
        self.model.script([said[1]])
        await self._send(prompt)
        await self._requested()
        await self._type(steering)
        await self.nvim.keys("<Esc>gs")
        await self._contains(f" {steering}:")
        await self._answer("y")
        await self._ended(said[0])
        self.record.expect(prompt, before[0], steering, said[0])

    async def run_a_command(self) -> None:
        """Run a command of one's own."""
        words = f"output {self.random.random()}"
        await self._insert(f"!echo '{words}'")
        await self.nvim.keys("<C-s>")
        await self._contains(f"    {words}")
        self._ran.append(words)

    async def have_a_file_read(self) -> None:
        """Have the model read a file."""
        await self._use(tool_use("Read", file_path=str(self._file())))

    async def accept_a_file(self) -> None:
        """Accept a new file."""
        path = self.project / self._new_name()
        await self._use(self._write(path), ":w<CR>")
        assert path.read_text() == "one\ntwo\n"

    async def change_a_file(self) -> None:
        """Accept a new file with a change."""
        path = self.project / self._new_name()
        await self._use(self._write(path), "Gothree<Esc>:w<CR>")
        assert path.read_text() == "one\ntwo\nthree\n"

    async def reject_a_file(self) -> None:
        """Reject a new file."""
        path = self.project / self._new_name()
        await self._use(self._write(path), ":ClaudeReject not this<CR>")
        assert not path.exists()

    async def queue(self) -> None:
        """Send prompts during a turn, and take some of them back."""
        prompt, said = self._prompt(), self._say()
        self.model.gate.clear()
        count = len(self.model.talk)
        await self._send(prompt)
        await until(lambda: len(self.model.talk) > count, "a request")
        await self._shown(prompt)
        later = [self._prompt() for _ in range(self.random.randint(1, 3))]
        for each in later:
            await self._send(each)
            await self._contains(f"⧗ {each}:")
        kept = [each for each in later if self.random.random() < 0.6]
        for each in set(later) - set(kept):
            assert await self.panel.go_to(f"⧗ {each}:")
            await self.nvim.keys("x")
            await self._returned(each)
        # The CLI may answer the others in one turn.
        answers = [self._say() for _ in kept]
        self.record.uncertain.update(answers)
        self.model.gate.set()
        await self._ended(said)
        self.record.expect(prompt, said)
        for each in kept:
            await self._shown(each)
        await until(lambda: self._is_asked(kept), "the prompts reach the model")
        await self.idle()
        self.record.expect(*kept)
        self._joined.update(kept)
        self.model.turns.clear()

    def _is_asked(self, prompts: list[str]) -> bool:
        messages = str(self.model.talk[-1].body["messages"])
        return all(f"{prompt}:" in messages for prompt in prompts)

    async def interrupt(self) -> None:
        """Stop a turn at any moment."""
        prompt, said = self._prompt(), self._say()
        self.record.uncertain.update((prompt, said))
        if self.random.random() < 0.5:
            self.model.gate.clear()
        await self._send(prompt)
        await self._moment(prompt, said)
        await self.nvim.keys("<C-c>")
        self.model.gate.set()
        await self._settled(prompt)

    async def compact(self) -> None:
        """Compact the conversation."""
        if not self.record.order[self.record.compacted :]:
            return
        count = self.model.compactions
        await self._insert("/compact")
        await self.nvim.keys("<C-s>")
        await until(lambda: self.model.compactions > count, "the compaction")
        await self._contains("was compacted")
        self.record.compacted = len(self.record.order)
        self._compacted = len(self.model.talk)

    async def edit(self) -> None:
        """Edit an earlier prompt."""
        prompts = [
            name
            for name in self.record.order[self.record.compacted :]
            if name.startswith("P") and name not in self.record.uncertain | self._joined
        ]
        if not prompts:
            return
        name = self.random.choice(prompts)
        assert await self.panel.go_to(f"» {name}:")
        await self.nvim.keys("e")
        wanted = self.record.texts[name]
        await until(lambda: self._holds(wanted), f"{name} is in the prompt")
        self.record.cut_after(name)
        # The new session begins with the summary.
        self.record.uncertain.update(self.record.order[: self.record.compacted])
        await self.nvim.lua(CHOOSE, self.random.choice(WAYS))
        prompt, said = self._prompt(), self._say()
        await self._type(prompt, instead=True)
        await self.nvim.keys("<C-s>")
        await self._ended(said)
        self.record.expect(prompt, said)

    async def kill_the_cli(self) -> None:
        """Kill the CLI, and restart it."""
        await self._saved()
        os.kill(cli_in(self.project), signal.SIGKILL)
        await self.panel.bar_shows("ended")
        await self.panel.go_to("")
        await self.nvim.keys("R")
        await self.panel.bar_shows("manual")
        await self.ask()

    async def kill_the_host(self) -> None:
        """Kill the host, and go on."""
        await self._saved()
        os.kill(await self.nvim.lua(HOST), signal.SIGKILL)
        await self.panel.bar_shows("not running")
        await self.ask()

    async def resume(self) -> None:
        """End the chat, and resume its session."""
        if not self._sure():
            return
        await self._saved()
        await self.nvim.command("stopinsert | ClaudeChat end")
        await until(lambda: self._is_gone(), "the chat has ended")
        await self.nvim.command("ClaudeChat continue")
        await self._contains(f"end of {self._sure()[-1]}")
        await self.panel.wait_until_ready()

    # What is checked.

    async def check(self) -> None:
        """Compare the conversation of the model, the session, the transcript and an export."""
        seen = await self.look()
        self._session = seen.get("session", self._session)
        assert not seen["prompt"], f"the prompt has {seen['prompt']!r}"
        assert not [line for line in seen["lines"] if line.startswith("⧗ ")]
        wrong = [self.record.missing_in_transcript(seen["lines"])]
        if len(self.model.talk) > self._compacted:
            wrong.append(self.record.missing_in_requests(self.model.talk[-1]))
        if self.record.order:
            await self._saved()
            wrong.append(self.record.missing_in_session(self._session_file()))
            wrong.append(self.record.missing_in_export(await self._export()))
        assert not any(wrong), "; ".join(filter(None, wrong))

    async def _export(self) -> str:
        path = self.project / f"export{len(self.steps)}.md"
        await self.nvim.command(f"stopinsert | ClaudeChat export {path.name}")
        name = f"wrote {path.name}"
        await until(lambda: self._reported(name), name)
        document = path.read_text(encoding="utf-8")
        path.unlink()
        return document

    async def _reported(self, words: str) -> bool:
        return words in await self.nvim.eval("execute('messages')")

    def _session_file(self) -> Path:
        return next((self.config / "projects").glob(f"*/{self._session}.jsonl"))

    async def _saved(self) -> None:
        if sure := self._sure():
            await wait_until_saved(f"end of {sure[-1]}", self.config)

    def _sure(self) -> list[str]:
        return [name for name in self.record.order if name not in self.record.uncertain]

    async def _is_gone(self) -> bool:
        return not await self.look()

    # What is written.

    def _prompt(self, words: str = "") -> str:
        self._prompts += 1
        name = f"P{self._prompts}"
        self.record.texts[name] = texts.prompt(self.random, self._prompts, words)
        return name

    def _said(self) -> tuple[str, Block]:
        self._answers += 1
        name = f"S{self._answers}"
        words = self.record.texts[name] = texts.answer(self.random, self._answers)
        return name, text(words)

    def _say(self) -> str:
        """Have the model say something in answer to its next request."""
        name, block = self._said()
        thought = [thinking(texts.paragraph(self.random))] if self.random.random() < 0.3 else []
        self.model.script([*thought, block])
        return name

    def _new_name(self) -> str:
        self._files += 1
        return f"file{self._files}.txt"

    def _file(self) -> Path:
        path = self.project / self._new_name()
        path.write_text("some\nwords\n")
        return path

    def _write(self, path: Path) -> Block:
        return tool_use("Write", file_path=str(path), content="one\ntwo\n")

    async def _command(self, key: str) -> None:
        made = self.project / self._new_name()
        prompt, (before, block), said = self._prompt(), self._said(), ""
        self.model.script([block, tool_use("Bash", command=f"touch {made.name}")])
        said = self._say()
        await self._send(prompt)
        await self._requested()
        await self._answer(key)
        await self._ended(said)
        assert made.exists() == (key == "y")
        self.record.expect(prompt, before, said)

    async def _use(self, block: Block, keys: str = "") -> None:
        prompt = self._prompt()
        self.model.script([block])
        said = self._say()
        await self._send(prompt)
        if keys:
            await until(lambda: self.nvim.lua(DIFF), "the diff is open")
            await self.nvim.keys(keys)
        await self._ended(said)
        self.record.expect(prompt, said)


CHOOSE = """
local way = ...
vim.ui.select = function(_, _, done) done(way) end
"""
WAYS = ["Conversation only", "Conversation and files"]
HOST = "return vim.fn.jobpid(require('claude_ide.channel').id)"
DIFF = """
local diff = require('claude_ide.diff').list()[1]
return diff and diff.shown
"""

STEPS: list[tuple[Callable[[RandomUser], Awaitable[None]], int]] = [
    (RandomUser.ask, 4),
    (RandomUser.ask_about_a_file, 2),
    (RandomUser.allow_a_command, 2),
    (RandomUser.deny_a_command, 2),
    (RandomUser.steer, 2),
    (RandomUser.run_a_command, 2),
    (RandomUser.have_a_file_read, 1),
    (RandomUser.accept_a_file, 1),
    (RandomUser.change_a_file, 1),
    (RandomUser.reject_a_file, 1),
    (RandomUser.queue, 3),
    (RandomUser.interrupt, 4),
    (RandomUser.compact, 1),
    (RandomUser.edit, 2),
    (RandomUser.kill_the_cli, 1),
    (RandomUser.kill_the_host, 1),
    (RandomUser.resume, 2),
]
