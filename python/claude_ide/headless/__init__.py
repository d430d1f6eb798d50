"""Single questions to the CLI, without a session: what `lua/claude_ide/question.lua` asks."""
