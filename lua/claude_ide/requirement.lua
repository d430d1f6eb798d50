--- The oldest Neovim with which the plugin works. This module itself runs on any that loads Lua plugins.
local M = {}

local OLDEST = '0.11'

--- The names of all commands, which report on an older Neovim why they do nothing.
M.COMMANDS = {
  'Claude',
  'ClaudeAccept',
  'ClaudeAdd',
  'ClaudeAsk',
  'ClaudeChanges',
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
}

--- The `<Plug>` maps, with the modes of each, for the same purpose.
M.MAPS = {
  ['<Plug>(claude-accept)'] = { 'n' },
  ['<Plug>(claude-changes)'] = { 'n' },
  ['<Plug>(claude-chat)'] = { 'n' },
  ['<Plug>(claude-reject)'] = { 'n' },
  ['<Plug>(claude-send)'] = { 'n', 'x' },
  ['<Plug>(claude-toggle)'] = { 'n' },
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
  for keys, modes in pairs(M.MAPS) do
    for _, mode in ipairs(modes) do
      vim.cmd(('%snoremap %s <Cmd>%s<CR>'):format(mode, keys, report))
    end
  end
end

return M
