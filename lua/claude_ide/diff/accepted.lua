--- Proposals that the user has edited and accepted, until they are known to be written.
local kept = require('claude_ide.file.kept')
local message = require('claude_ide.say.message')
local stamp = require('claude_ide.file.stamp')

local M = {}

-- Milliseconds. An agent that reports no refusal writes within half a second, or not at all.
local PATIENCE = 10000

---@class claude_ide.AcceptedText
---@field path string
---@field text string
---@field filetype string
---@field stamp string of the file when the text was accepted

---@type table<integer, claude_ide.AcceptedText> by the diff's id
local held = {}

local function is_on_disk(accepted)
  local stat = vim.uv.fs_stat(accepted.path)
  -- Opening a pipe would wait.
  local file = stat and stat.type == 'file' and io.open(accepted.path, 'rb')
  local text = file and file:read('*a')
  if file then
    file:close()
  end
  return text == accepted.text
end

--- Hold an accepted text that differs from the proposal.
---@param diff claude_ide.Diff
---@param text string
function M.hold(diff, text)
  if text == diff.text then
    return
  end
  held[diff.id] = {
    path = diff.path,
    text = text,
    filetype = vim.bo[diff.bufnr].filetype,
    stamp = stamp.of(diff.path),
  }
  if not diff.is_reported then
    vim.defer_fn(function()
      M.settle(diff.id)
    end, PATIENCE)
  end
end

--- Let go of an accepted text once it is written; keep one that was refused in a buffer.
---@param id integer of the diff
---@param is_written? boolean default: whether the file has changed
function M.settle(id, is_written)
  local accepted = held[id]
  held[id] = nil
  if not accepted or is_written then
    return
  elseif is_written == nil and stamp.of(accepted.path) ~= accepted.stamp then
    return
  elseif not is_on_disk(accepted) then
    local what = 'not written; your edits are'
    message.show(kept.keep(accepted.path, accepted.text, what, accepted.filetype), 'warn')
  end
end

--- Settle all of them: no more is reported.
function M.settle_all()
  vim.iter(vim.tbl_keys(held)):each(M.settle)
end

return M
