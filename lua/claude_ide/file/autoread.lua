--- The user's setting of 'autoread', and its suspension while we follow a write ourselves.
local M = {}

---@type table<integer, { own: boolean? }> by buffer; its local value
local suspended = {}

local function own_value(bufnr)
  if suspended[bufnr] then
    return suspended[bufnr].own
  end
  return vim.api.nvim_get_option_value('autoread', { buf = bufnr, scope = 'local' })
end

--- The value that the user has set, locally or globally.
---@param bufnr integer
---@return boolean
function M.is_on(bufnr)
  local own = own_value(bufnr)
  if own == nil then
    return vim.go.autoread
  end
  return own
end

--- Set the buffer's local value; while suspended, it takes effect on `resume`.
---@param bufnr integer
---@param own boolean? nil: use the global value
function M.set(bufnr, own)
  if suspended[bufnr] then
    suspended[bufnr].own = own
  else
    vim.bo[bufnr].autoread = own --[[@as boolean nil is the global one]]
  end
end

--- Keep Neovim from reloading a buffer automatically, until `resume`.
---@param bufnr integer
function M.suspend(bufnr)
  suspended[bufnr] = { own = own_value(bufnr) }
  vim.bo[bufnr].autoread = false
end

--- Restore the user's setting. A value that the user has set in the meantime stays.
---@param bufnr integer
function M.resume(bufnr)
  local before = suspended[bufnr]
  suspended[bufnr] = nil
  local is_ours = before
    and vim.api.nvim_buf_is_valid(bufnr)
    and vim.api.nvim_get_option_value('autoread', { buf = bufnr, scope = 'local' }) == false
  if is_ours then
    vim.bo[bufnr].autoread = before.own
  end
end

return M
