--- Sorts buffers by their last use, more precisely than Neovim's 'lastused', which has whole seconds.
local M = {}

-- By buffer: seconds since the epoch, with fractions since this module is loaded.
---@type table<integer, number>
local used = {}

vim.api.nvim_create_autocmd('BufEnter', {
  group = vim.api.nvim_create_augroup('claude_ide_usage', { clear = true }),
  callback = function(event)
    local seconds, microseconds = vim.uv.gettimeofday()
    used[event.buf] = seconds + microseconds / 1e6
  end,
})

--- Sort buffers in place, most recently used first.
---@param bufnrs integer[]
---@return integer[] bufnrs the same table
function M.sort(bufnrs)
  local here = vim.api.nvim_get_current_buf()
  for _, bufnr in ipairs(bufnrs) do
    -- In Vim script, so that only a number is converted to Lua, and not each variable of the buffer.
    used[bufnr] = used[bufnr] or vim.api.nvim_eval(('getbufinfo(%d)[0].lastused'):format(bufnr))
  end
  table.sort(bufnrs, function(a, b)
    local first, second = a == here and math.huge or used[a], b == here and math.huge or used[b]
    return first > second or (first == second and a < b)
  end)
  return bufnrs
end

return M
