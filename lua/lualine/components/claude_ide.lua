--- The lualine component `claude_ide` (`:help claude-ide-plugins`).
local M = require('lualine.component'):extend()

---@param options table
function M:init(options)
  M.super.init(self, options)
  vim.api.nvim_create_autocmd('User', {
    group = vim.api.nvim_create_augroup('claude_ide_lualine', {}),
    pattern = 'ClaudeStatusChanged',
    callback = function()
      require('lualine').refresh()
    end,
  })
end

---@return string
function M:update_status()
  return require('claude_ide').statusline()
end

return M
