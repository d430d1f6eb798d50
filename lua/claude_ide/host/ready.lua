--- Runs commands that need the host (`autoload/claude_ide/ready.vim`).
local channel = require('claude_ide.channel')

local M = {}

---@alias claude_ide.CommandFunction fun(opts: vim.api.keyset.create_user_command.command_args)

--- Run a command now, or after the current installation, or after one that the user is offered.
---@type fun(opts: vim.api.keyset.create_user_command.command_args, fn: claude_ide.CommandFunction)
function M.run(opts, fn)
  local function run_later(is_here)
    -- A range only makes sense in the text in which it was typed.
    opts.range = is_here and opts.range or 0
    fn(opts)
  end
  if
    channel.id
    or vim.fn['claude_ide#ready#MayRun'](opts.name, opts.args, opts.bang or false, run_later)
  then
    fn(opts)
  end
end

return M
