"""A small scripted stand-in for Claude Code, to try the plugin without an account (`make try`)."""
