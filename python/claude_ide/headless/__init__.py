"""One-off requests to the CLI, without a session, for `question/init.lua`."""
