--- Whether an agent is working, as Neovim 0.12 shows it: the option 'busy', and a progress message.
local activity = require('claude_ide.activity')
local work = require('claude_ide.host.work')

local M = {}

---@class claude_ide.ChatWork: claude_ide.Figures
---@field text string what the agent does, or how its turn ended
---@field status claude_ide.WorkStatus

local has_option = vim.fn.exists('+busy') == 1

local function source(chat)
  return 'chat.' .. chat.id
end

--- Show what a chat's agent does.
---@param chat claude_ide.Chat
---@param doing claude_ide.ChatWork
function M.set(chat, doing)
  local is_working = doing.status == 'running'
  chat.is_working = is_working
  activity.set(source(chat), {
    is_working = is_working,
    model = doing.model,
    context = doing.context,
    cost = doing.cost,
  })
  if has_option and vim.api.nvim_buf_is_valid(chat.transcript) then
    local value = is_working and 1 or 0
    vim.api.nvim_set_option_value('busy', value, { buf = chat.transcript })
  end
  work.report(source(chat), chat.options.title, doing.text, doing.status)
end

--- Show that the agent no longer works, because its chat or its host has ended.
---@param chat claude_ide.Chat
function M.stop(chat)
  M.set(chat, { text = 'ended', status = 'cancel' })
  activity.remove(source(chat))
end

return M
