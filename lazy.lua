-- What lazy.nvim adds to `{ 'OWNER/claude-ide' }`: it loads the plugin by its commands, and runs
-- `build.lua` after each installation and update.
return {
  'claude-ide',
  main = 'claude_ide',
  opts = {},
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
