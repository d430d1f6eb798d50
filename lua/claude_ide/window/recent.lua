--- Which buffers were used when: Neovim's own 'lastused' counts whole seconds only.
local M = {}

-- Seconds since the epoch, as 'lastused', but exact.
---@type table<integer, number>
local entered = {}

--- Remember from now on when a buffer is entered.
---@param on boolean
function M.watch(on)
  local group = vim.api.nvim_create_augroup('claude_ide_usage', { clear = true })
  entered = {}
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

-- In Vimscript, because getbufinfo() holds every buffer's variables; only numbers cross here.
local LAST_USED = "map([%s], 'getbufinfo(v:val)[0].lastused')"

---@param bufnrs integer[]
---@return table<integer, integer> seconds
local function ask(bufnrs)
  local others = vim.tbl_filter(function(bufnr)
    return not entered[bufnr]
  end, bufnrs)
  local known = {}
  local seconds = #others > 0 and vim.api.nvim_eval(LAST_USED:format(table.concat(others, ',')))
  for index, bufnr in ipairs(others) do
    known[bufnr] = seconds[index]
  end
  return known
end

--- Sort buffers, the one used last first.
---@param bufnrs integer[]
---@param seconds? table<integer, integer> what 'lastused' is of each, where the caller has asked
---@return integer[] bufnrs the same table
function M.sort(bufnrs, seconds)
  seconds = seconds or ask(bufnrs)
  local used = {}
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
