--- Sorts buffers by their last use, more precisely than Neovim's 'lastused', which has whole seconds.
local M = {}

-- By buffer: seconds since the epoch, with fractions.
---@type table<integer, number>
local entered = {}
local is_watching = false

--- Start or stop recording when buffers are entered.
---@param on boolean
function M.watch(on)
  local group = vim.api.nvim_create_augroup('claude_ide_usage', { clear = true })
  entered, is_watching = {}, on
  if not on then
    return
  end
  vim.api.nvim_create_autocmd('BufEnter', {
    group = group,
    callback = function(event)
      local seconds, microseconds = vim.uv.gettimeofday()
      entered[event.buf] = seconds + microseconds / 1e6
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    callback = function(event)
      entered[event.buf] = nil
    end,
  })
end

-- In Vim script, so that only numbers are converted to Lua: getbufinfo() includes each buffer's
-- variables.
local LAST_USED = "map([%s], 'getbufinfo(v:val)[0].lastused')"

---@param bufnrs integer[]
---@return table<integer, integer> seconds by buffer
local function last_used(bufnrs)
  local others = vim.tbl_filter(function(bufnr)
    return not entered[bufnr]
  end, bufnrs)
  local known = {}
  local seconds = #others > 0 and vim.api.nvim_eval(LAST_USED:format(table.concat(others, ',')))
  for index, bufnr in ipairs(others) do
    known[bufnr] = seconds[index]
    -- It changes only when the buffer is entered; getbufinfo() lists every sign of the buffer, too.
    entered[bufnr] = is_watching and seconds[index] or nil
  end
  return known
end

--- Sort buffers in place, most recently used first.
---@param bufnrs integer[]
---@return integer[] bufnrs the same table
function M.sort(bufnrs)
  local seconds, used = last_used(bufnrs), {}
  for _, bufnr in ipairs(bufnrs) do
    used[bufnr] = entered[bufnr] or seconds[bufnr]
  end
  used[vim.api.nvim_get_current_buf()] = math.huge
  table.sort(bufnrs, function(a, b)
    return used[a] > used[b] or (used[a] == used[b] and a < b)
  end)
  return bufnrs
end

return M
