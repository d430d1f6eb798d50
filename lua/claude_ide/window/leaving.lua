--- Neovim exits: what is only shown goes before session managers note down what is on the screen.
local M = {}

--- Call `fn` once Neovim surely exits, before any `VimLeavePre`.
---@param fn fun()
---@return integer id of the autocommand
function M.watch(fn)
  return vim.api.nvim_create_autocmd('BufWinLeave', {
    -- What goes is to hear of it.
    nested = true,
    callback = function()
      if vim.v.exiting ~= vim.NIL then
        fn()
      end
    end,
  })
end

return M
