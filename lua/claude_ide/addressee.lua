--- Sends the user's words to the agent of the place where they are.
local channel = require('claude_ide.channel')
local message = require('claude_ide.messages.message')

local M = {}

--- Send words to the chat of this tab page, as mentions are sent; otherwise type them into the terminal of a
--- CLI. If neither is there, a message says so.
---@param words string
---@return boolean is_sent
function M.send(words)
  if package.loaded['claude_ide.chat.state'] then
    local placement = require('claude_ide.chat.placement')
    local chat = vim.iter(require('claude_ide.chat.state').list()):find(placement.is_here)
    if chat then
      require('claude_ide.chat.prompt').say(chat, words)
      return true
    end
  end
  if not channel.id then
    message.show('no terminal of this Neovim runs Claude (:Claude opens one)', 'warn')
    return false
  end
  channel.emit('commented', { words = words })
  return true
end

return M
