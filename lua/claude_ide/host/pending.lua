--- The commands that wait for an installation of Python.
local M = {}

-- Commands that make sense some seconds later: anywhere, or only where nothing has changed.
local ANYWHERE, HERE = 'anywhere', 'here'
local PATIENT = {
  Claude = ANYWHERE,
  ClaudeAdd = ANYWHERE,
  ClaudeAsk = HERE,
  ClaudeChat = ANYWHERE,
  ClaudeCommit = HERE,
  ClaudeEdit = HERE,
  ClaudeSend = HERE,
  ClaudeStart = ANYWHERE,
}

---@alias claude_ide.CommandFunction fun(opts: vim.api.keyset.create_user_command.command_args)

---@class claude_ide.PendingCommand
---@field opts vim.api.keyset.create_user_command.command_args
---@field bufnr integer the buffer in which it was typed
---@field tick integer the state of its text
---@field fn claude_ide.CommandFunction

local pending = {} ---@type claude_ide.PendingCommand[]

--- Have a command wait, if it can. It takes the place of the same command: repeated, it would toggle what the
--- first one has opened.
---@param command claude_ide.PendingCommand
---@return boolean is_waiting
function M.postpone(command)
  if not PATIENT[command.opts.name] then
    return false
  end
  pending = vim.tbl_filter(function(other)
    return other.opts.name ~= command.opts.name or other.opts.args ~= command.opts.args
  end, pending)
  table.insert(pending, command)
  return true
end

--- Let none wait any longer.
function M.clear()
  pending = {}
end

local function show(text, level)
  require('claude_ide.messages.message').show(text, level)
end

local function run_now(command)
  local bufnr = vim.api.nvim_get_current_buf()
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local is_here = bufnr == command.bufnr and tick == command.tick
  if PATIENT[command.opts.name] == HERE and not is_here then
    return show(('Python is ready; run :%s again'):format(command.opts.name), 'warn')
  end
  -- A range only makes sense in the text in which it was typed.
  if not is_here then
    command.opts.range = 0
  end
  command.fn(command.opts)
end

--- The names of the commands that wait, such as `:Claude, :ClaudeStart`; empty without any.
---@return string
function M.waiting()
  return vim
    .iter(pending)
    :map(function(command)
      return ':' .. command.opts.name
    end)
    :join(', ')
end

--- Python has been installed: run the commands that wait for it.
function M.installed()
  local commands = pending
  pending = {}
  if #commands > 0 then
    require('claude_ide.timing.moment').when_free(function()
      vim.iter(commands):each(run_now)
    end, function(reason)
      show(reason, 'error')
    end)
  end
end

return M
