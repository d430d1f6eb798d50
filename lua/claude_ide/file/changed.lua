--- `FileChangedShell`: Neovim's own check whether another program has changed a file.
local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_file_changed', { clear = true })

--- Decide, in place of the user, what Neovim does when it finds that a buffer's file has changed.
---@param bufnr integer
---@param choose fun(reason: string): string? from `v:fcs_reason` to `v:fcs_choice`; nil does not set it
---@return integer autocommand
function M.answer(bufnr, choose)
  return vim.api.nvim_create_autocmd('FileChangedShell', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      vim.v.fcs_choice = choose(vim.v.fcs_reason) or vim.v.fcs_choice
    end,
  })
end

-- In an autocommand that is not nested, Neovim would run none for the change, and ask a question that
-- `silent` hides.
local function check_nested(bufnr)
  local group = vim.api.nvim_create_augroup('claude_ide_probe', {})
  local id = vim.api.nvim_create_autocmd('User', {
    group = group,
    pattern = 'probe',
    nested = true,
    callback = function()
      vim.cmd.checktime({ args = { tostring(bufnr) }, mods = { silent = true } })
    end,
  })
  vim.api.nvim_exec_autocmds('User', { group = group, pattern = 'probe', modeline = false })
  pcall(vim.api.nvim_del_autocmd, id)
end

--- Make Neovim check whether a buffer's file has changed, without a question to the user. Only for
--- buffers that Neovim does not reload automatically. Neovim reports each change only once.
---@param bufnr integer
---@return string? reason `v:fcs_reason`; nil if nothing, or only the file's time, has changed
function M.probe(bufnr)
  local found
  local id = M.answer(bufnr, function(reason)
    found = reason
    -- If only the time has changed, "ask" shows no warning, and makes Neovim store the new time.
    -- Otherwise the next `:write` would ask the user.
    return reason == 'time' and 'ask' or ''
  end)
  check_nested(bufnr)
  pcall(vim.api.nvim_del_autocmd, id)
  return found ~= 'time' and found or nil
end

--- Make Neovim read a buffer's file again if it has changed, whatever 'autoread' is. Not for a buffer with
--- unsaved changes, which keeps its text.
---@param bufnr integer
function M.reread(bufnr)
  local id = M.answer(bufnr, function(reason)
    return ({ changed = 'reload', time = 'ask' })[reason] or ''
  end)
  check_nested(bufnr)
  pcall(vim.api.nvim_del_autocmd, id)
end

return M
