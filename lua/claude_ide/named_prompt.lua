--- `:ClaudePrompt /name`: a prompt of the option `prompts`, to the chat or to the terminal.
local addressee = require('claude_ide.addressee')
local message = require('claude_ide.messages.message')
local prompts = require('claude_ide.prompts')

local M = {}

---@param opts vim.api.keyset.create_user_command.command_args
function M.send(opts)
  local name = prompts.name_in(opts.args)
  if not name then
    local problem = ('there is no prompt "%s" (<Tab> lists them)'):format(opts.args)
    return message.show(problem, 'error')
  end
  prompts.choose(name, opts, false, addressee.send)
end

return M
