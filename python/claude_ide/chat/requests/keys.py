"""The rows below a request that name the keys for its answers."""

from claude_ide.chat.page.rows import Row, row

KEY, MEANING = "ClaudeChatKey", "ClaudeChatDetail"


def key_row(key: str, meaning: str) -> Row:
    """Return a row for a key."""
    return row(("  ", ""), (key, KEY), (f"  {meaning}", MEANING))
