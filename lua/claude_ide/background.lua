--- `:ClaudeBackground`: the placeholders of its prompt mean the buffer and the range; the host does the rest.
local contexts = require('claude_ide.contexts')
local host = require('claude_ide.host')
local sending = require('claude_ide.sending')

local M = {}

--- Begin a session in the background.
---@param opts vim.api.keyset.create_user_command.command_args
function M.begin(opts)
  local text = vim.trim(opts.args)
  local facts = contexts.facts(contexts.of_command(opts), text)
  local number = sending.keep({ text = text, facts = facts, is_typed = true })
  host.command('ClaudeBackground', vim.tbl_extend('force', opts, { fargs = { number } }))
end

return M
