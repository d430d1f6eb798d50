"""One-off requests to the CLI, without a session, for `headless/init.lua`."""
