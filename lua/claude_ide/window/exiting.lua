--- Notices that Neovim is exiting, before session managers record the windows.
local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_window_exiting', { clear = true })

--- Call `fn` once Neovim is certain to exit, before any `VimLeavePre`.
---@param fn fun()
---@return integer id of the autocommand
function M.watch(fn)
  return vim.api.nvim_create_autocmd('BufWinLeave', {
    group = augroup,
    -- A buffer that `fn` closes has to trigger its own autocommands.
    nested = true,
    callback = function()
      if vim.v.exiting ~= vim.NIL then
        fn()
      end
    end,
  })
end

return M
