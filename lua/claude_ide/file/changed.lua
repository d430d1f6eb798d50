--- What Neovim finds out, and does, about a file that was changed by another program.
local M = {}

--- Answer for the user whenever Neovim finds that the file of a buffer has changed.
---@param bufnr integer
---@param choose fun(reason: string): string? `v:fcs_choice` for a `v:fcs_reason`; nil leaves it as it is
---@return integer autocommand
function M.answer(bufnr, choose)
  return vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = bufnr,
    callback = function()
      vim.v.fcs_choice = choose(vim.v.fcs_reason) or vim.v.fcs_choice
    end,
  })
end

--- Ask Neovim whether the file of a buffer that it would not read by itself has changed, and keep it
--- from asking the user. Neovim reports each change only once.
---@param bufnr integer
---@return string? reason `v:fcs_reason`; nil where nothing, or only the file's time, has changed
function M.probe(bufnr)
  local found
  local id = M.answer(bufnr, function(reason)
    found = reason
    -- With "ask" Neovim gives no warning if only the time has changed, and `:write` then knows it.
    return reason == 'time' and 'ask' or ''
  end)
  vim.cmd.checktime({ args = { tostring(bufnr) }, mods = { silent = true } })
  vim.api.nvim_del_autocmd(id)
  return found ~= 'time' and found or nil
end

return M
