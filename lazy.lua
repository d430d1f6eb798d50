-- What lazy.nvim adds to `{ 'OWNER/claude-ide' }`. It also runs `build.lua` after each installation
-- and update.
return {
  'claude-ide',
  main = 'claude_ide',
  opts = {},
  -- By its commands alone neither `auto_start` nor `:help` would work before the first of them.
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
