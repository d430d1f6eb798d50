-- lazy.nvim adds this to `{ 'OWNER/claude-ide' }`, and runs `build.lua` after each installation and
-- update.
return {
  'claude-ide',
  main = 'claude_ide',
  opts = {},
  -- With `cmd` alone neither `auto_start` nor `:help` would work before the first command.
  event = 'VeryLazy',
  cmd = {
    'Claude',
    'ClaudeAccept',
    'ClaudeAdd',
    'ClaudeAsk',
    'ClaudeChat',
    'ClaudeCommit',
    'ClaudeEdit',
    'ClaudeInstall',
    'ClaudeLog',
    'ClaudeReject',
    'ClaudeSend',
    'ClaudeStart',
    'ClaudeStatus',
    'ClaudeStop',
    'ClaudeTrust',
  },
}
