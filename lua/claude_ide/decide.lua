--- `:ClaudeAccept` and `:ClaudeReject`: they answer what waits for the user, which is an edit in a diff, a
--- permission in the float, or a request of a chat.
local diff = require('claude_ide.diff')
local message = require('claude_ide.messages.message')

local M = {}

--- Something in the current tab page that waits for an answer.
---@class claude_ide.Awaiting
---@field since integer nanoseconds: since when it is on the screen
---@field is_here boolean whether the user is in a window of it
---@field answer fun(accepted: boolean, reason?: string)

-- A feature that was never used is not loaded for this.
local function awaiting(module)
  return package.loaded[module] and require(module).awaiting() or nil
end

-- Where the user is goes first, then what is longest on the screen.
---@return claude_ide.Awaiting?
local function next_one()
  local found = vim.tbl_values({
    diff.awaiting(),
    awaiting('claude_ide.permission'),
    awaiting('claude_ide.chat.panel'),
  })
  table.sort(found, function(one, other)
    if one.is_here ~= other.is_here then
      return one.is_here
    end
    return one.since < other.since
  end)
  return found[1]
end

---@type fun(accepted: boolean, reason?: string)
local function decide(accepted, reason)
  local one = next_one()
  if one then
    one.answer(accepted, reason)
  elseif #diff.list() > 0 then
    diff.decide(accepted, reason)
  else
    message.show('nothing on the screen waits for your answer', 'warn')
  end
end

--- `:ClaudeAccept`. With `!`, all edits.
---@param opts vim.api.keyset.create_user_command.command_args
function M.accept(opts)
  if opts.bang then
    return diff.decide_all(true)
  end
  decide(true)
end

--- `:ClaudeReject`, with a reason. With `!`, all edits.
---@param opts vim.api.keyset.create_user_command.command_args
function M.reject(opts)
  if opts.bang then
    return diff.decide_all(false, opts.args)
  end
  decide(false, opts.args)
end

return M
