--- Neovim exits: proposals are closed before session managers record what is on the screen.
local M = {}

--- Call `fn` once nothing can stop Neovim from exiting, before any `VimLeavePre`.
---@param fn fun()
---@return integer id of the autocommand
function M.watch(fn)
  return vim.api.nvim_create_autocmd('BufWinLeave', {
    -- Closing a buffer in `fn` has to trigger its autocommands.
    nested = true,
    callback = function()
      if vim.v.exiting ~= vim.NIL then
        fn()
      end
    end,
  })
end

return M
