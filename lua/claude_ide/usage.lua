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

--- Sort buffers, the one used last first.
---@param bufnrs integer[]
---@return integer[] bufnrs the same table
function M.sort(bufnrs)
  -- In Vimscript, because getbufinfo() holds every buffer's variables; only numbers cross here.
  local seconds = vim.api.nvim_eval("map(getbufinfo(), '[v:val.bufnr, v:val.lastused]')")
  local used = {}
  for _, pair in ipairs(seconds) do
    used[pair[1]] = entered[pair[1]] or pair[2]
  end
  used[vim.api.nvim_get_current_buf()] = math.huge
  table.sort(bufnrs, function(a, b)
    return used[a] > used[b] or (used[a] == used[b] and a < b)
  end)
  return bufnrs
end

return M
