--- Whether an agent works, as Neovim 0.12 shows it: the option 'busy', and a progress message.
local work = require('claude_ide.host.work')

local M = {}

---@class claude_ide.ChatWork
---@field text string what it does, or how its turn ended
---@field status claude_ide.WorkStatus

local has_option = vim.fn.exists('+busy') == 1

---@param chat claude_ide.Chat
---@param doing claude_ide.ChatWork
function M.set(chat, doing)
  if has_option and vim.api.nvim_buf_is_valid(chat.transcript) then
    vim.bo[chat.transcript].busy = doing.status == 'running' and 1 or 0
  end
  work.report('chat.' .. chat.id, chat.options.title, doing.text, doing.status)
end

--- The agent no longer works: its chat or its host has ended.
---@param chat claude_ide.Chat
function M.stop(chat)
  M.set(chat, { text = 'ended', status = 'cancel' })
end

return M
