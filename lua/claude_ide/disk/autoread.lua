--- Whether buffers follow their files by themselves, as the user has set it; and a pause of that.
local M = {}

---@type table<integer, { own: boolean? }> the buffers' own values
local suspended = {}

local function own_value(bufnr)
  if suspended[bufnr] then
    return suspended[bufnr].own
  end
  return vim.api.nvim_get_option_value('autoread', { buf = bufnr, scope = 'local' })
end

--- What the user has set, locally or globally.
---@param bufnr integer
---@return boolean
function M.is_on(bufnr)
  local own = own_value(bufnr)
  if own == nil then
    return vim.go.autoread
  end
  return own
end

--- Set the buffer's own value; during a pause it holds from the end of that on.
---@param bufnr integer
---@param own boolean? nil for the global one
function M.set(bufnr, own)
  if suspended[bufnr] then
    suspended[bufnr].own = own
  else
    vim.bo[bufnr].autoread = own --[[@as boolean nil is the global one]]
  end
end

--- Neovim no longer reads a file by itself.
---@param bufnr integer
function M.suspend(bufnr)
  suspended[bufnr] = { own = own_value(bufnr) }
  vim.bo[bufnr].autoread = false
end

--- What the user has set holds again, unless that was during the pause: that holds already.
---@param bufnr integer
function M.resume(bufnr)
  local was = suspended[bufnr]
  suspended[bufnr] = nil
  local is_ours = was
    and vim.api.nvim_buf_is_valid(bufnr)
    and vim.api.nvim_get_option_value('autoread', { buf = bufnr, scope = 'local' }) == false
  if is_ours then
    vim.bo[bufnr].autoread = was.own
  end
end

return M
