-- lazy.nvim merges this into `{ 'OWNER/claude-ide' }`, and runs `build.lua` after each installation
-- and update.
return {
  'claude-ide',
  main = 'claude_ide',
  opts = {},
  -- In VS Code the plugin does nothing (`plugin/claude_ide.lua`), so its commands are not defined either.
  cond = not vim.g.vscode,
  -- With `cmd` alone, `auto_start` and `:help` would not work before the first command.
  event = 'VeryLazy',
  cmd = {
    'Claude',
    'ClaudeAccept',
    'ClaudeAdd',
    'ClaudeAsk',
    'ClaudeChanges',
    'ClaudeChat',
    'ClaudeCommit',
    'ClaudeDismiss',
    'ClaudeEdit',
    'ClaudeFocus',
    'ClaudeInstall',
    'ClaudeKernel',
    'ClaudeLog',
    'ClaudeMcpConfig',
    'ClaudeNew',
    'ClaudeReject',
    'ClaudeSend',
    'ClaudeShare',
    'ClaudeStart',
    'ClaudeStatus',
    'ClaudeStop',
    'ClaudeSwitch',
    'ClaudeTools',
    'ClaudeTrust',
    'ClaudeUninstall',
  },
}
