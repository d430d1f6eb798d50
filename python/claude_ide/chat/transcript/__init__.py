"""What a chat shows: the conversation as views on a page."""
