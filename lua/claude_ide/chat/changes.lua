--- Which chat `:ClaudeChanges` means, and the completion of its arguments.
local chat_state = require('claude_ide.chat.state')
local placement = require('claude_ide.chat.placement')
local review = require('claude_ide.review')

local M = {}

--- Whether there is a chat for the command, and whether it is in this tab page, on the screen.
---@return 'shown'|'hidden'|false
function M.here()
  local chats = chat_state.list()
  local is_shown = vim.iter(chats):any(placement.is_here)
  return is_shown and 'shown' or #chats > 0 and 'hidden' or false
end

--- The changed files of the chat that is shown, otherwise of all sources.
---@param lead string
---@return string[]
function M.complete(lead)
  local chat = vim.iter(chat_state.list()):find(placement.is_here)
  local names = review.names(chat and ('chat %d'):format(chat.id) or nil)
  return vim
    .iter(names)
    :filter(function(name)
      return vim.startswith(name, lead)
    end)
    :map(vim.fn.fnameescape)
    :totable()
end

return M
