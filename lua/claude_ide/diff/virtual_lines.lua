--- Diagnostics of a file that are virtual lines are hidden while it is compared: they take rows, and the two
--- sides would no longer line up.
local M = {}

---@type table<integer, { holders: integer, was_enabled: boolean }> by buffer
local hidden = {}

--- Hide the diagnostics of a buffer if they are virtual lines, until `show` is called as often.
---@param bufnr integer loaded
function M.hide(bufnr)
  local record = hidden[bufnr]
  if record then
    record.holders = record.holders + 1
    return
  end
  local lines = vim.tbl_get(vim.diagnostic.config() or {}, 'virtual_lines')
  local was_enabled = vim.diagnostic.is_enabled({ bufnr = bufnr })
  hidden[bufnr] = { holders = 1, was_enabled = was_enabled }
  if lines and was_enabled then
    vim.diagnostic.enable(false, { bufnr = bufnr })
  end
end

--- Show them again.
---@param bufnr integer
function M.show(bufnr)
  local record = hidden[bufnr]
  record.holders = record.holders - 1
  if record.holders == 0 then
    hidden[bufnr] = nil
    if record.was_enabled and vim.api.nvim_buf_is_loaded(bufnr) then
      vim.diagnostic.enable(true, { bufnr = bufnr })
    end
  end
end

return M
