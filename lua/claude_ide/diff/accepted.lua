--- Accepted texts that differ from the proposal, held until the agent has written them.
local buffer_text = require('claude_ide.file.text')
local command_buffer = require('claude_ide.file.command_buffer')
local disk = require('claude_ide.file.disk')
local message = require('claude_ide.messages.message')

local M = {}

--- Milliseconds. An agent that does not report a refusal writes within half a second or not at all.
M.writes_within = 10000

---@class claude_ide.AcceptedText
---@field path string
---@field text string
---@field filetype string
---@field stamp string the file's when the text was accepted

---@type table<integer, claude_ide.AcceptedText> by diff id
local held = {}

--- Hold an accepted text.
---@type fun(diff: claude_ide.Diff, text: string)
function M.hold(diff, text)
  held[diff.id] = {
    path = diff.path,
    text = text,
    filetype = vim.bo[diff.bufnr].filetype,
    stamp = disk.stamp(diff.path),
  }
  if not diff.is_reported then
    vim.defer_fn(function()
      M.settle(diff.id)
    end, M.writes_within)
  end
end

--- Drop an accepted text that was written; put one that was not into a buffer, so that the user's
--- edits survive.
---@param id integer diff
---@param is_written? boolean default: whether the file has changed since
function M.settle(id, is_written)
  local accepted = held[id]
  held[id] = nil
  if accepted and is_written == nil then
    is_written = disk.stamp(accepted.path) ~= accepted.stamp
  end
  if not accepted or is_written then
    return
  elseif buffer_text.bytes(accepted.path, #accepted.text) ~= accepted.text then
    local what = 'not written; your edits are'
    message.show(command_buffer.keep(accepted.path, accepted.text, what, accepted.filetype), 'warn')
  end
end

--- Settle all of them: the host that would report has ended.
function M.settle_all()
  vim.iter(vim.tbl_keys(held)):each(M.settle)
end

return M
