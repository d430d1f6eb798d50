"""What the user says: a turn that has begun, or a prompt that waits in line."""

from collections.abc import Sequence

from claude_ide.chat.page import amounts
from claude_ide.chat.page.page import Part
from claude_ide.chat.page.plain import lines, one_line
from claude_ide.chat.page.rows import Row, row
from claude_ide.chat.page.view import Action, OpenOutput, View

MOST_LINES = 200


class Turn(View):
    """A prompt that has begun, with the chips of what was sent beside it."""

    def __init__(self, part: Part, prompt: str, text: str, chips: Sequence[str] = ()) -> None:
        super().__init__(part)
        self.prompt, self.text, self.chips = prompt, text, tuple(chips)

    def rows(self) -> list[Row]:
        """Return the prompt."""
        said = lines(self.text.strip("\n")) or [""]
        shown = said[:MOST_LINES]
        found = [
            row((f"{'  ' if n else '» '}{line}", "ClaudeChatUser")) for n, line in enumerate(shown)
        ]
        if more := len(said) - len(shown):
            found.append(row((f"  … {amounts.count(more, 'more line')}", "ClaudeChatMeta")))
        if self.chips:
            found.append(_chips(self.chips))
        return found

    def press(self, offset: int) -> Action | None:
        """Ask for all of a prompt that is shown in part."""
        if offset == MOST_LINES and len(lines(self.text.strip("\n"))) > MOST_LINES:
            return OpenOutput("prompt", self.text)
        return None

    def markdown(self) -> str:
        """Return it below a heading of its own."""
        said = self.text.strip()
        chips = "".join(f"\n\n*{chip}*" for chip in self.chips)
        return f"## {one_line(said, 80) or 'Prompt'}\n\n{said}{chips}"


class Queued(Turn):
    """A prompt that was sent; `hint` where the user has time to take it back."""

    hint = True

    def rows(self) -> list[Row]:
        """Return the prompt in one line, as it begins."""
        if not self.hint:
            return super().rows()
        said = lines(self.text.strip())
        more = f" (+{amounts.count(len(said) - 1, 'line')})" if len(said) > 1 else ""
        first = one_line(said[0], 120) if said else ""
        found = [
            row(
                (f"⧗ {first}{more}", "ClaudeChatQueued"),
                ("  x", "ClaudeChatKey"),
                (" withdraws it", "ClaudeChatMeta"),
            )
        ]
        return [*found, _chips(self.chips)] if self.chips else found

    def press(self, offset: int) -> Action | None:
        """Ask for the whole prompt, unless one line is all of it."""
        return OpenOutput("queued prompt", self.text) if "\n" in self.text.strip() else None

    def markdown(self) -> str:
        """Return nothing: it has not been said."""
        return ""


def _chips(chips: Sequence[str]) -> Row:
    return row(("  " + "  ".join(f"[{one_line(chip)}]" for chip in chips), "ClaudeChatMeta"))
