"""What the user sends: prompts, which wait and then become turns, or commands for the shell."""

from collections.abc import Callable, Iterable, Sequence

from claude_ide.agents.events import PromptStage, Task, TaskState
from claude_ide.base.quotation import fenced
from claude_ide.chat.transcript.detail import Detail, below, of_output
from claude_ide.ui.page import DETAIL, KEY, META, WARNING, Chunk, Part, Row, row
from claude_ide.ui.sheet import Action, OpenOutput, Sheet, View
from claude_ide.ui.text import as_printed, counted, duration, elapsed, lines, one_line

MOST_LINES = 200
ENDED = {
    TaskState.RUNNING: "has ended in the background",
    TaskState.COMPLETED: "has finished in the background",
    TaskState.FAILED: "has failed in the background",
    TaskState.STOPPED: "was stopped in the background",
}
EDITED = row(("  ✎ editing; sending replaces the rest", WARNING))


class StartedPrompt(View):
    """A prompt that has started; `chips` name the context that was sent with it.

    `missing` are the mentions in it whose files do not exist.
    """

    def __init__(
        self,
        part: Part,
        prompt: str,
        text: str,
        chips: Sequence[str] = (),
        missing: Sequence[str] = (),
    ) -> None:
        super().__init__(part)
        self.prompt, self.text = prompt, text
        self.chips, self.missing = tuple(chips), tuple(missing)
        self.is_edited = False

    def rows(self) -> list[Row]:
        prompt = lines(self.text.strip("\n")) or [""]
        shown = prompt[:MOST_LINES]
        found = [
            row((f"{'  ' if n else '» '}{line}", "ClaudeChatUser")) for n, line in enumerate(shown)
        ]
        if more := len(prompt) - len(shown):
            found.append(row((f"  … {counted(more, 'more line')}", META)))
        return [*found, *self._context(), *([EDITED] if self.is_edited else [])]

    def _context(self) -> list[Row]:
        """Return the line with the context."""
        chunks: list[Chunk] = [(one_line(chip), META) for chip in self.chips]
        chunks += [(f"@{one_line(name)} not found", WARNING) for name in self.missing]
        spaced = [each for chunk in chunks for each in ((" · ", META), chunk)]
        return [row(("  ", ""), *spaced[1:])] if chunks else []

    def press(self, offset: int) -> Action | None:
        if offset == MOST_LINES and len(lines(self.text.strip("\n"))) > MOST_LINES:
            return OpenOutput("prompt", self.text)
        return None

    def markdown(self) -> str:
        prompt = self.text.strip()
        chips = "".join(f"\n\n*{chip}*" for chip in self.chips)
        return f"## {one_line(prompt, 80) or 'Prompt'}\n\n{prompt}{chips}"


class OwnTurn(View):
    """A turn that the agent has started by itself, because tasks have ended."""

    def __init__(self, part: Part, ended: Sequence[Task]) -> None:
        super().__init__(part)
        self._ended = ended

    def rows(self) -> list[Row]:
        return [row((line, "ClaudeChatNotice")) for line in self._lines()]

    def markdown(self) -> str:
        return f"## {' · '.join(self._lines())}"

    def _lines(self) -> list[str]:
        return [f"⟳ {one_line(each.title, 100)} {ENDED[each.state]}" for each in self._ended]


class Queued(StartedPrompt):
    """A prompt that was sent; with `hint` it shows the key that withdraws it."""

    hint = True

    def rows(self) -> list[Row]:
        if not self.hint:
            return super().rows()
        prompt = lines(self.text.strip())
        more = f" (+{counted(len(prompt) - 1, 'line')})" if len(prompt) > 1 else ""
        first = one_line(prompt[0], 120) if prompt else ""
        found = [
            row((f"⧗ {first}{more}", "ClaudeChatQueued"), ("  x", KEY), (" withdraws it", META))
        ]
        return [*found, *self._context()]

    def press(self, offset: int) -> Action | None:
        return OpenOutput("queued prompt", self.text) if "\n" in self.text.strip() else None

    def markdown(self) -> str:
        """Return nothing: the agent has not started it."""
        return ""


class PromptQueue:
    """The prompts that the user has sent: each stays at the end until the agent starts it."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._held: list[Queued] = []
        """Those that the agent does not have yet."""
        self._queued: dict[str, Queued] = {}
        self._stages: dict[str, PromptStage] = {}
        """The stages of waiting prompts, and of those that were reported before `sent`."""
        self.current = ""
        """The prompt that has started last; empty before the first one."""
        self.is_running = False
        """Whether a turn runs."""

    @property
    def queued(self) -> dict[str, str]:
        """The texts of the prompts that wait at the agent, by their ids."""
        return {prompt: view.text for prompt, view in self._queued.items()}

    def hold(self, text: str, chips: Sequence[str] = (), *, is_ready: bool) -> Queued:
        """Show a prompt at the end, before the agent has it.

        `chips` name the context of the text; `is_ready` says whether the agent accepts prompts.
        """
        starts = is_ready and not (self.is_running or self._held or self._queued)
        view = self._sheet.add("queued", lambda part: Queued(part, "", text, chips), tail=True)
        view.hint = not starts
        self._held.append(view)
        return view

    def drop(self, view: Queued) -> None:
        """Remove a prompt that the agent will not get."""
        if view in self._held:
            self._held.remove(view)
            self._sheet.remove(view)

    def sent(
        self, view: Queued, prompt: str, chips: Sequence[str], missing: Sequence[str] = ()
    ) -> None:
        """Give a prompt that was sent to the agent the id by which the agent names it.

        `chips` name the context that was sent with it, `missing` the mentions without a file.
        The agent may have reported a stage of this prompt before.
        """
        view.chips, view.missing = tuple(chips), tuple(missing)
        stage = self._stages.get(prompt)
        if stage is PromptStage.CANCELLED or prompt in self._queued:
            self._stages.pop(prompt, None)
            return self.drop(view)
        self._held.remove(view)
        view.prompt, view.hint = prompt, self.is_running or bool(self._queued)
        self._sheet.changed(view)
        self._queued[prompt] = view
        if stage not in (None, PromptStage.QUEUED):
            self.begin([prompt])

    def add(self, prompt: str, text: str, chips: Sequence[str] = ()) -> None:
        """Show a prompt that was sent to the agent."""
        self.sent(self.hold(text, chips, is_ready=True), prompt, chips)

    def apply(self, prompt: str, stage: PromptStage) -> None:
        """Apply the stage of a prompt."""
        if stage is PromptStage.CANCELLED and prompt in self._queued:
            self._sheet.remove(self._queued.pop(prompt))
            self._stages.pop(prompt, None)
        elif prompt in self._queued and stage is not PromptStage.QUEUED:
            self.begin([prompt])
            self.is_running = True
        else:
            self._stages[prompt] = stage
            self.is_running = self.is_running or stage is PromptStage.STARTED

    def begin_next(self) -> None:
        """Start the first waiting prompt: a turn has started without a report of its prompt."""
        self.begin(list(self._queued)[:1])

    def begin(self, prompts: Iterable[str]) -> None:
        """Turn waiting prompts into turns."""
        for prompt in prompts:
            view = self._queued.pop(prompt, None)
            if view is not None:
                self._stages.pop(prompt, None)
                self._sheet.remove(view)
                self.turn(prompt, view.text, view.chips, view.missing)

    def turn(
        self, prompt: str, text: str, chips: Sequence[str] = (), missing: Sequence[str] = ()
    ) -> None:
        """Show a prompt that has started."""
        self.current = prompt
        self._sheet.add("turn", lambda part: StartedPrompt(part, prompt, text, chips, missing))


KEPT_BYTES = 15_000
"""How many bytes of the output are kept at its beginning, and as many at its end."""


class CommandOutput:
    """The output of a command so far; of a long one, only the beginning and the end are kept."""

    def __init__(self) -> None:
        self.size = 0
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, piece: bytes) -> None:
        """Append a piece."""
        self.size += len(piece)
        missing = KEPT_BYTES - len(self._head)
        self._head += piece[:missing]
        self._tail += piece[missing:]
        del self._tail[:-KEPT_BYTES]

    @property
    def text(self) -> str:
        """The output, with a line for the bytes that are missing."""
        missing = self.size - len(self._head) - len(self._tail)
        if not missing:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, tail = (kept.decode("utf-8", "replace") for kept in (self._head, self._tail))
        return f"{head}\n… {missing:,} bytes are missing here …\n{tail}"


PREVIEW = 10
"""How many lines are shown before the user opens it."""

LONGEST_TITLE = 200


class Ran(View):
    """A command of the user; `clock` returns seconds, or None in the history of a session."""

    def __init__(self, part: Part, command: str, clock: Callable[[], float | None]) -> None:
        super().__init__(part)
        self.command = command
        self.output = CommandOutput()
        self.outcome = ""
        """How it has failed; empty if it has not."""
        self._open = False
        self._clock = clock
        self._began = clock()
        self._is_over = False
        self._seconds: float | None = None
        self._details: list[Detail] = []

    def end(self, outcome: str) -> None:
        """Show that it has ended."""
        self.outcome = outcome
        self._is_over = True
        self._seconds = self._elapsed()

    @property
    def text(self) -> str:
        """The output without colours."""
        return as_printed(self.output.text)

    def rows(self) -> list[Row]:
        details = below(of_output(self.output.text, self.command))
        self._details = details if self._open else details[-PREVIEW:]
        if above := len(details) - len(self._details):
            label = f"    … {counted(above, 'line')} above"
            self._details = [Detail(row((label, DETAIL))), *self._details]
        return [row(*self._head()), *(each.row for each in self._details)]

    def press(self, offset: int) -> Action | None:
        if 0 < offset <= len(self._details) and (action := self._details[offset - 1].action):
            return action
        self._open = not self._open
        return None

    def markdown(self) -> str:
        output = self.text.rstrip("\n")
        return fenced("console", f"$ {self.command}\n{output}")

    def _head(self) -> list[Chunk]:
        head = [("! ", "ClaudeChatUser"), (one_line(self.command, LONGEST_TITLE), "ClaudeChatCode")]
        if not self._is_over:
            running = elapsed(int(self._elapsed() or 0))
            return [*head, (f"  {running} …", "ClaudeChatToolRunning")]
        if self.outcome:
            head.append((f"  {self.outcome}", "ClaudeChatToolFailed"))
        if self._seconds is not None:
            head.append((f"  {duration(self._seconds)}", META))
        return head

    def _elapsed(self) -> float | None:
        now = self._clock()
        return None if now is None or self._began is None else now - self._began
