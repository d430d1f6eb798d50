--- Tells the host of writes to open files without a diff, which it reports to the user (`editor/disk.py`).
--- Highlights the lines that an agent has written for a few seconds. Knows the writes without a diff that an
--- agent has announced.
local channel = require('claude_ide.channel')
local file = require('claude_ide.file.path')
local highlights = require('claude_ide.highlights')
local message = require('claude_ide.messages.message')
local rebase = require('claude_ide.file.rebase')

local M = {}

local api = vim.api

-- Milliseconds.
local FLASH = 4000
local LASTS = 10000 -- until the write that a note is for: an agent does not ask the user in between
local MOST = 1000 -- highlighted hunks

local namespace = api.nvim_create_namespace('claude_ide_flash')

---@class claude_ide.TextBefore
---@field lines string[]
---@field tick integer

local writes = {} ---@type table<string, { agent: string }> by real path
local unjudged = {} ---@type table<string, true> by path: writes that may be merged with unsaved changes

-- A note is for one write to the file.
local function take(path)
  local real = file.real(path)
  local note = writes[real]
  writes[real] = nil
  return note and note.agent
end

--- Record that an agent is about to write a file.
---@param path string
---@param agent? string its name; default: Claude
function M.announce(path, agent)
  local real, note = file.real(path), { agent = agent or 'Claude' }
  writes[real] = note
  vim.defer_fn(function()
    writes[real] = writes[real] ~= note and writes[real] or nil
  end, LASTS)
end

--- Whether the next write to a file is an agent's.
---@type fun(path: string): boolean
function M.is_announced(path)
  return writes[file.real(path)] ~= nil
end

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
  local agent = take(path)
  if agent then
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

--- Note that a buffer has got a text that the user has accepted, which needs no report.
---@param bufnr integer
function M.accepted(bufnr)
  take(api.nvim_buf_get_name(bufnr))
end

--- Report that a buffer keeps its unsaved changes and is not updated.
---@param path string
---@param stamp string of the text that these are based on; empty if it is not known
---@param is_earlier boolean whether that text is an even earlier one
function M.kept(path, stamp, is_earlier)
  local agent = take(path)
  unjudged[path] = true
  channel.emit('file_kept', { path = path, agent = agent, stamp = stamp, is_earlier = is_earlier })
end

--- Know that such a write is no agent's, and is not merged. The host calls this.
---@param path string
function M.judged(path)
  unjudged[path] = nil
end

--- Whether the host does not know yet whether it is.
---@type fun(path: string): boolean
function M.is_unjudged(path)
  return unjudged[path] ~= nil
end

return M
