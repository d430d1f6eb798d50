"""`:ClaudeChat export`: the conversation as a Markdown file, or in a window."""

from pathlib import Path

from claude_ide.chat.chat import Chat
from claude_ide.editor.editor import Editor
from claude_ide.errors import UserError


async def export(chat: Chat, path: str, editor: Editor) -> None:
    """Write the conversation to a file, or show it."""
    text = await chat.export()
    if not path:
        await editor.port.windows.show_text(chat.agent.name, "conversation.md", text, "markdown")
        return
    target = Path(chat.root, Path(path).expanduser())
    try:
        target.touch(exist_ok=False)
        target.write_text(text, encoding="utf-8")
    except FileExistsError:
        raise UserError(f"{path} already exists") from None
    except OSError as error:
        raise UserError(f"cannot write {target}: {error.strerror}") from None
    editor.notify(f"wrote {path}")
