--- The oldest Neovim with which the plugin works. This module itself runs on any that loads Lua plugins.
local M = {}

local OLDEST = '0.11'

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

--- Define all commands and maps so that each reports the refusal. `plugin/claude_ide.lua` has their names.
function M.define()
  local path = vim.api.nvim_get_runtime_file('plugin/claude_ide.lua', false)[1]
  local text = table.concat(vim.fn.readfile(path), '\n')
  local report = "lua require('claude_ide.requirement').report()"
  for name in text:gmatch("command%(%s*'(Claude%a*)'") do
    vim.cmd(('command! -nargs=* -range -bang %s %s'):format(name, report))
  end
  for name in text:gmatch("'(<Plug>%(claude%-[%l-]+%))'") do
    for _, mode in ipairs({ 'n', 'x' }) do
      vim.cmd(('%snoremap %s <Cmd>%s<CR>'):format(mode, name, report))
    end
  end
end

return M
