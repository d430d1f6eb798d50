--- `:ClaudeAsk`: a question whose answer the user can continue in the chat.
local answer = require('claude_ide.headless.answer')
local channel = require('claude_ide.channel')
local message = require('claude_ide.messages.message')

local M = {}

-- The panel opens before the host has stored the session, because the user may already be typing. The host
-- closes the answer when it has the panel; otherwise the answer stays.
---@type claude_ide.Continue
local function continue(id, cwd, leave)
  local claude = require('claude_ide.chat.agents').find('claude')
  if not claude then
    return message.show('the chat does not offer Claude (g:claude_ide.agents)', 'warn')
  end
  leave()
  local chat = require('claude_ide.chat.hostless').begin(claude, cwd)
  channel.emit('question_continued', { id = id, chat = chat, cwd = cwd })
end

--- Carry out `:[range]ClaudeAsk[!] [question]`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  answer.ask(opts, continue)
end

return M
