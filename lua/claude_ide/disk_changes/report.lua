--- Tells the host of writes to open files without a diff, which it reports to the user (`editor/disk.py`).
--- Highlights the lines that an agent has written for a few seconds.
local channel = require('claude_ide.channel')
local highlights = require('claude_ide.highlights')
local message = require('claude_ide.messages.message')
local rebase = require('claude_ide.file.rebase')

local M = {}

local api = vim.api

local FLASH = 4000 -- milliseconds
local MOST = 1000 -- highlighted hunks

local namespace = api.nvim_create_namespace('claude_ide_flash')

---@class claude_ide.TextBefore
---@field lines string[]
---@field tick integer

--- The text of a buffer that is about to be updated.
---@type fun(bufnr: integer): claude_ide.TextBefore
function M.before(bufnr)
  local lines = api.nvim_buf_get_lines(bufnr, 0, -1, true)
  return { lines = lines, tick = api.nvim_buf_get_changedtick(bufnr) }
end

local function flash(bufnr, before, after)
  if #vim.fn.win_findbuf(bufnr) == 0 then
    return
  end
  highlights.define()
  local marks = {}
  for _, hunk in ipairs(vim.list_slice(rebase.hunks(before, after), 1, MOST)) do
    -- A hunk without new lines is a deletion: the line before it is highlighted.
    local first = math.max(hunk[3], 1) - 1
    marks[#marks + 1] = api.nvim_buf_set_extmark(bufnr, namespace, first, 0, {
      end_row = math.min(first + math.max(hunk[4], 1), #after),
      hl_group = 'ClaudeIdeWritten',
      hl_eol = true,
      undo_restore = false,
      invalidate = true,
    })
  end
  vim.defer_fn(function()
    for _, mark in ipairs(marks) do
      pcall(api.nvim_buf_del_extmark, bufnr, namespace, mark)
    end
  end, FLASH)
end

--- Report that a buffer has been updated from its file. Buffers that are not listed are not reported.
---@param bufnr integer
---@param before claude_ide.TextBefore
---@return boolean is_changed whether the text differs
function M.followed(bufnr, before)
  local old, now = before.lines, M.before(bufnr)
  local removed, added = rebase.count(old, now.lines)
  if added == 0 and removed == 0 then
    return false
  end
  local path = api.nvim_buf_get_name(bufnr)
  local agent = vim.fn['claude_ide#agent_writes#Take'](path)
  if agent ~= '' then
    flash(bufnr, old, now.lines)
  end
  if vim.bo[bufnr].buflisted then
    channel.emit('file_followed', {
      path = path,
      agent = agent,
      -- A text without lines has none.
      added = vim.deep_equal(now.lines, { '' }) and 0 or added,
      removed = vim.deep_equal(old, { '' }) and 0 or removed,
      old_tick = before.tick,
      new_tick = now.tick,
      columns = message.room(),
    })
  end
  return true
end

return M
