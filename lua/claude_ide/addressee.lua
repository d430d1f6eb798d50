--- Lets `:ClaudeAsk` go on in the chat.
local channel = require('claude_ide.channel')

local M = {}

-- The panel opens before the host has stored the session, because the user may already be typing. The host
-- closes the answer when it has the panel; otherwise the answer stays.
---@type claude_ide.Continue
local function continue(id, agent, cwd, leave)
  leave()
  local chat = require('claude_ide.chat.panel').begin({ agent = agent, root = cwd })
  channel.emit('question_continued', { id = id, chat = chat, cwd = cwd })
end

--- `:[range]ClaudeAsk[!] [question]`, whose answer the user can continue in the chat.
---@param opts vim.api.keyset.create_user_command.command_args
function M.ask(opts)
  require('claude_ide.headless.answer').ask(opts, continue)
end

return M
