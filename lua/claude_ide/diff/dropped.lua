--- Marks dropped hunks in a proposal: their lines are like those of the file.
local hunks = require('claude_ide.diff.hunks')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_dropped')

local function note_of(hunk, row)
  if hunk.now[2] > hunk.now[1] then
    return 'dropped'
  end
  local count = hunk.new[2] - hunk.new[1]
  local lines = count == 1 and '1 line' or ('%d lines'):format(count)
  return ('%s dropped %s'):format(lines, row < hunk.now[1] and 'below' or 'above')
end

local function draw(bufnr)
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for _, hunk in ipairs(hunks.list(bufnr)) do
    if hunk.is_dropped then
      local row = hunks.row(bufnr, hunk)
      api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
        virt_text = { { note_of(hunk, row), 'ClaudeIdeHunkDropped' } },
      })
    end
  end
end

--- Mark the dropped hunks of a proposal after each change of its text.
---@param bufnr integer
function M.watch(bufnr)
  local is_scheduled = false
  local function schedule()
    if not is_scheduled then
      is_scheduled = true
      vim.schedule(function()
        is_scheduled = false
        if api.nvim_buf_is_loaded(bufnr) then
          draw(bufnr)
        end
      end)
    end
  end
  api.nvim_buf_attach(bufnr, false, { on_lines = schedule, on_reload = schedule })
end

return M
