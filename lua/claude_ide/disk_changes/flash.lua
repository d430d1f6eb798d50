--- Highlights the lines that an agent has written without a diff, for a few seconds.
local highlights = require('claude_ide.highlights')
local rebase = require('claude_ide.file.rebase')

local M = {}

local LASTS = 4000 -- milliseconds
local MOST = 1000 -- highlighted hunks
local NAMESPACE = vim.api.nvim_create_namespace('claude_ide_flash')

local latest = {} ---@type table<integer, integer> by buffer; the number of its last flash

-- A hunk without new lines is a deletion: the line before it is highlighted.
local function rows(hunk)
  local first = math.max(hunk[3], 1)
  return first - 1, first - 1 + math.max(hunk[4], 1)
end

local function mark(bufnr, hunks)
  local last = vim.api.nvim_buf_line_count(bufnr)
  for _, hunk in ipairs(vim.list_slice(hunks, 1, MOST)) do
    local first, stop = rows(hunk)
    vim.api.nvim_buf_set_extmark(bufnr, NAMESPACE, math.min(first, last - 1), 0, {
      end_row = math.min(stop, last),
      hl_group = 'ClaudeIdeWritten',
      hl_eol = true,
      undo_restore = false,
      invalidate = true,
    })
  end
end

local function clear_later(bufnr)
  latest[bufnr] = (latest[bufnr] or 0) + 1
  local this = latest[bufnr]
  vim.defer_fn(function()
    if latest[bufnr] == this then
      latest[bufnr] = nil
      if vim.api.nvim_buf_is_valid(bufnr) then
        vim.api.nvim_buf_clear_namespace(bufnr, NAMESPACE, 0, -1)
      end
    end
  end, LASTS)
end

--- Highlight the lines that differ, if the buffer is in a window.
---@param bufnr integer
---@param before string[]
---@param after string[] the present text
function M.show(bufnr, before, after)
  if #vim.fn.win_findbuf(bufnr) == 0 then
    return
  end
  highlights.define()
  vim.api.nvim_buf_clear_namespace(bufnr, NAMESPACE, 0, -1)
  mark(bufnr, rebase.hunks(before, after))
  clear_later(bufnr)
end

return M
