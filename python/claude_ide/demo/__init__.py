"""A small scripted stand-in for Claude Code, for `make try` without an account."""
