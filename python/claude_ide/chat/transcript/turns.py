"""The user's prompts: one that has started a turn, or one that is queued."""

from collections.abc import Sequence

from claude_ide.agents.events import Task, TaskState
from claude_ide.chat.page import amounts
from claude_ide.chat.page.page import Part
from claude_ide.chat.page.plain import lines, one_line
from claude_ide.chat.page.rows import Chunk, Row, row
from claude_ide.chat.page.view import Action, OpenOutput, View

MOST_LINES = 200
ENDED = {
    TaskState.RUNNING: "has ended in the background",
    TaskState.COMPLETED: "has finished in the background",
    TaskState.FAILED: "has failed in the background",
    TaskState.STOPPED: "was stopped in the background",
}
EDITED = row(("  ✎ editing; sending replaces the rest", "ClaudeChatWarning"))


class Turn(View):
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
        """Return the prompt."""
        prompt = lines(self.text.strip("\n")) or [""]
        shown = prompt[:MOST_LINES]
        found = [
            row((f"{'  ' if n else '» '}{line}", "ClaudeChatUser")) for n, line in enumerate(shown)
        ]
        if more := len(prompt) - len(shown):
            found.append(row((f"  … {amounts.count(more, 'more line')}", "ClaudeChatMeta")))
        return [*found, *self._context(), *([EDITED] if self.is_edited else [])]

    def _context(self) -> list[Row]:
        """Return the line with the context."""
        chunks: list[Chunk] = [(one_line(chip), "ClaudeChatMeta") for chip in self.chips]
        chunks += [(f"@{one_line(name)} not found", "ClaudeChatWarning") for name in self.missing]
        spaced = [each for chunk in chunks for each in ((" · ", "ClaudeChatMeta"), chunk)]
        return [row(("  ", ""), *spaced[1:])] if chunks else []

    def press(self, offset: int) -> Action | None:
        """Open all of a prompt that is shown in part."""
        if offset == MOST_LINES and len(lines(self.text.strip("\n"))) > MOST_LINES:
            return OpenOutput("prompt", self.text)
        return None

    def markdown(self) -> str:
        """Return the prompt below a heading."""
        prompt = self.text.strip()
        chips = "".join(f"\n\n*{chip}*" for chip in self.chips)
        return f"## {one_line(prompt, 80) or 'Prompt'}\n\n{prompt}{chips}"


class OwnTurn(View):
    """A turn that the agent has started by itself, because tasks have ended."""

    def __init__(self, part: Part, ended: Sequence[Task]) -> None:
        super().__init__(part)
        self._ended = ended

    def rows(self) -> list[Row]:
        """Return a row for each task."""
        return [row((line, "ClaudeChatNotice")) for line in self._lines()]

    def markdown(self) -> str:
        """Return a heading."""
        return f"## {' · '.join(self._lines())}"

    def _lines(self) -> list[str]:
        return [f"⟳ {one_line(each.title, 100)} {ENDED[each.state]}" for each in self._ended]


class Queued(Turn):
    """A prompt that was sent; with `hint` it shows the key that withdraws it."""

    hint = True

    def rows(self) -> list[Row]:
        """Return the beginning of the prompt in one line."""
        if not self.hint:
            return super().rows()
        prompt = lines(self.text.strip())
        more = f" (+{amounts.count(len(prompt) - 1, 'line')})" if len(prompt) > 1 else ""
        first = one_line(prompt[0], 120) if prompt else ""
        found = [
            row(
                (f"⧗ {first}{more}", "ClaudeChatQueued"),
                ("  x", "ClaudeChatKey"),
                (" withdraws it", "ClaudeChatMeta"),
            )
        ]
        return [*found, *self._context()]

    def press(self, offset: int) -> Action | None:
        """Open the whole prompt, unless it has only one line."""
        return OpenOutput("queued prompt", self.text) if "\n" in self.text.strip() else None

    def markdown(self) -> str:
        """Return nothing: the agent has not started it."""
        return ""
