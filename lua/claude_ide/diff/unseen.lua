--- Decides a diff that still waits for a moment to appear.
local channel = require('claude_ide.channel')
local message = require('claude_ide.messages.message')
local reload = require('claude_ide.disk_changes.reload')
local remarks = require('claude_ide.diff.remarks')

local M = {}

--- Accept or reject it. One with a warning is accepted only after the user has seen it.
---@param diff claude_ide.Diff
---@param accepted boolean
---@param reason? string
---@param remove fun(diff: claude_ide.Diff) makes it one that no longer waits
function M.decide(diff, accepted, reason, remove)
  if accepted and diff.where.warning ~= '' then
    message.show(('%s: see it before you accept it'):format(diff.where.path), 'warn')
    return
  end
  remove(diff)
  if accepted and diff.saved then
    reload.expect(diff.path, diff.saved)
  end
  local text = accepted and diff.text or nil
  local answer = remarks.of(diff, accepted, reason)
  answer.id, answer.accepted = diff.id, accepted
  if diff.on_decided then
    diff.on_decided(text)
  else
    answer.text = text
  end
  channel.emit('diff_decided', answer)
end

return M
