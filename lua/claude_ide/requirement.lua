--- The oldest Neovim with which the plugin works. This module itself runs on any that loads Lua plugins.
local M = {}

local OLDEST = '0.11'

--- The names of all commands, which report on an older Neovim why they do nothing.
M.COMMANDS = {
  'Claude',
  'ClaudeAccept',
  'ClaudeAdd',
  'ClaudeAnswer',
  'ClaudeAsk',
  'ClaudeChanges',
  'ClaudeChat',
  'ClaudeComment',
  'ClaudeCommit',
  'ClaudeDismiss',
  'ClaudeEdit',
  'ClaudeFix',
  'ClaudeFocus',
  'ClaudeInstall',
  'ClaudeKernel',
  'ClaudeLog',
  'ClaudeMcpConfig',
  'ClaudeNew',
  'ClaudePrompt',
  'ClaudeReject',
  'ClaudeSeen',
  'ClaudeSend',
  'ClaudeShare',
  'ClaudeStart',
  'ClaudeStatus',
  'ClaudeStop',
  'ClaudeSwitch',
  'ClaudeTools',
  'ClaudeTrust',
  'ClaudeUninstall',
  'ClaudeWire',
}

--- The names of the `<Plug>` maps, for the same purpose.
M.MAPS = {
  'accept',
  'accept-edits',
  'add',
  'answer',
  'ask',
  'changes',
  'chat',
  'comment',
  'commit',
  'dismiss',
  'edit',
  'fix',
  'focus',
  'hunk-drop',
  'hunk-next',
  'hunk-previous',
  'hunk-take',
  'new',
  'prompt',
  'reject',
  'seen',
  'send',
  'share',
  'switch',
  'toggle',
  'unseen-next',
  'unseen-previous',
}

--- Why the plugin does not work in this Neovim; nil if it does.
---@return string?
function M.refusal()
  if vim.fn.has('nvim-' .. OLDEST) == 1 then
    return nil
  end
  local version = vim.version()
  return ('claude-ide needs Neovim %s or newer (this is %d.%d.%d)'):format(
    OLDEST,
    version.major,
    version.minor,
    version.patch
  )
end

--- Show the refusal, in one line.
function M.report()
  vim.notify(M.refusal() or '', vim.log.levels.WARN, { title = 'claude-ide' })
end

--- Define all commands and maps so that each reports the refusal.
function M.define()
  local report = "lua require('claude_ide.requirement').report()"
  for _, name in ipairs(M.COMMANDS) do
    vim.cmd(('command! -nargs=* -range -bang %s %s'):format(name, report))
  end
  for _, name in ipairs(M.MAPS) do
    for _, mode in ipairs({ 'n', 'x' }) do
      vim.cmd(('%snoremap <Plug>(claude-%s) <Cmd>%s<CR>'):format(mode, name, report))
    end
  end
end

return M
