--- `:ClaudeBackground`: the placeholders of its prompt mean the buffer and the range; the host does the rest.
local host = require('claude_ide.host')
local prompts = require('claude_ide.prompts')

local M = {}

--- Begin a session in the background.
---@param opts vim.api.keyset.create_user_command.command_args
function M.begin(opts)
  local words = prompts.fill(vim.trim(opts.args), opts)
  if words then
    local fargs = words ~= '' and { words } or {}
    host.command('ClaudeBackground', vim.tbl_extend('force', opts, { fargs = fargs }))
  end
end

return M
