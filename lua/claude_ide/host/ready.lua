--- Postpones commands that need the host until its Python is installed.
local channel = require('claude_ide.channel')

local M = {}

-- Commands that make sense some seconds later, wherever the user is by then.
local PATIENT = { Claude = true, ClaudeChat = true, ClaudeStart = true }

---@alias claude_ide.CommandFunction fun(opts: vim.api.keyset.create_user_command.command_args)

---@class claude_ide.PendingCommand
---@field opts vim.api.keyset.create_user_command.command_args
---@field bufnr integer the buffer in which it was typed
---@field fn claude_ide.CommandFunction

local function show(text, level)
  require('claude_ide.say.message').show(text, level)
end

local latest ---@type claude_ide.PendingCommand? the last one that was run
local pending ---@type claude_ide.PendingCommand? waits for an installation

local function is_installing()
  local install = package.loaded['claude_ide.host.install']
  return install ~= nil and install.is_running()
end

local function wait(command)
  local name = command.opts.name
  if PATIENT[name] then
    pending = command
    show(('Python is being installed; :%s runs afterwards'):format(name), 'info')
  else
    show(('Python is being installed; run :%s again afterwards'):format(name), 'warn')
  end
end

--- Run a command now, or after the current installation.
---@param opts vim.api.keyset.create_user_command.command_args
---@param fn claude_ide.CommandFunction
function M.run(opts, fn)
  if channel.id then
    return fn(opts)
  end
  local command = { opts = opts, bufnr = vim.api.nvim_get_current_buf(), fn = fn }
  if is_installing() then
    return wait(command)
  end
  latest = PATIENT[opts.name] and command or nil
  fn(opts)
  if not channel.id then
    M.failed()
  end
end

--- The host could not run, and the user has been told why: the last command waits for an installation.
function M.failed()
  latest, pending = nil, latest
end

--- Python has been installed: run the command that waits for it.
function M.installed()
  local command = pending
  pending = nil
  if not command or channel.id then
    return
  end
  require('claude_ide.when.moment').when_free(function()
    -- A range only makes sense in the buffer in which it was typed.
    if vim.api.nvim_get_current_buf() ~= command.bufnr then
      command.opts.range = 0
    end
    command.fn(command.opts)
  end, function(reason)
    show(reason, 'error')
  end)
end

return M
