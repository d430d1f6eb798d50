"""Single questions to the CLI, without a session: what `question/init.lua` asks."""
