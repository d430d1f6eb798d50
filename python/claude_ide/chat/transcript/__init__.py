"""The conversation of a chat, as views on a page."""
