"""The user's shell commands in a chat: run by the host, and sent with the next prompt."""
