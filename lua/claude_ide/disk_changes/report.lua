--- Tells the host of writes to open files without a diff, which it reports to the user (`disk_report.py`).
local announced = require('claude_ide.disk_changes.announced')
local channel = require('claude_ide.channel')
local flash = require('claude_ide.disk_changes.flash')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local rebase = require('claude_ide.file.rebase')
local unseen = require('claude_ide.unseen')

local M = {}

---@class claude_ide.TextBefore
---@field lines string[]
---@field tick integer

--- The text of a buffer that is about to be updated.
---@param bufnr integer
---@return claude_ide.TextBefore
function M.before(bufnr)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  return { lines = lines, tick = vim.api.nvim_buf_get_changedtick(bufnr) }
end

---@return integer added
---@return integer removed
local function difference(before, after)
  local removed, added = rebase.count(before, after)
  local was_empty = #before == 1 and before[1] == ''
  local is_empty = #after == 1 and after[1] == ''
  return is_empty and 0 or added, was_empty and 0 or removed
end

--- Report that a buffer has been updated from its file. Buffers that are not listed are not reported.
---@param bufnr integer
---@param before claude_ide.TextBefore
---@return boolean is_changed whether the text differs
function M.followed(bufnr, before)
  local now = M.before(bufnr)
  local added, removed = difference(before.lines, now.lines)
  if added == 0 and removed == 0 then
    return false
  end
  local path = vim.api.nvim_buf_get_name(bufnr)
  local agent = announced.take(path)
  if agent then
    flash.show(bufnr, before.lines, now.lines)
    unseen.wrote(bufnr, before.lines, now.lines)
  end
  unseen.updated(bufnr)
  if vim.bo[bufnr].buflisted then
    channel.emit('file_followed', {
      path = path,
      agent = agent,
      added = added,
      removed = removed,
      old_tick = before.tick,
      new_tick = now.tick,
      columns = message.room(),
    })
  end
  return true
end

--- Report that a buffer keeps its unsaved changes and is not updated.
---@param path string
function M.kept(path)
  announced.take(path)
  channel.emit('file_kept', { path = path })
end

--- Emit `answered` {token} as soon as a report can be shown.
---@param token integer
function M.await(token)
  moment.when_notifiable(function()
    channel.emit('answered', { token = token })
  end)
end

return M
