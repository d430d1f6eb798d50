--- `:ClaudeAsk`: a question whose answer the user can continue in the chat.
local answer = require('claude_ide.headless.answer')
local channel = require('claude_ide.channel')

local M = {}

-- The panel opens before the host has stored the session, because the user may already be typing. The host
-- closes the answer when it has the panel; otherwise the answer stays.
---@type claude_ide.Continue
local function continue(id, cwd, leave)
  leave()
  local chat = require('claude_ide.chat.panel').begin({ agent = 'claude', root = cwd })
  channel.emit('question_continued', { id = id, chat = chat, cwd = cwd })
end

--- Carry out `:[range]ClaudeAsk[!] [question]`.
---@param opts vim.api.keyset.create_user_command.command_args
function M.run(opts)
  answer.ask(opts, continue)
end

return M
