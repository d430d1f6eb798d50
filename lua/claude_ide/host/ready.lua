--- Commands that need the host while its Python is missing: they wait for its installation.
local channel = require('claude_ide.channel')

local M = {}

-- Commands that may begin some seconds later, wherever the user is then.
local PATIENT = { Claude = true, ClaudeChat = true, ClaudeStart = true }

---@class claude_ide.PendingCommand
---@field opts vim.api.keyset.create_user_command.command_args
---@field bufnr integer where it was typed
---@field fn fun(opts: vim.api.keyset.create_user_command.command_args)

local function show(text, level)
  require('claude_ide.say.message').show(text, level)
end

local latest ---@type claude_ide.PendingCommand? the latest that was run
local pending ---@type claude_ide.PendingCommand? the one that waits for an installation

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

--- Carry out a command once the host can run: now, or after the installation that is running.
---@param opts vim.api.keyset.create_user_command.command_args
---@param fn fun(opts: vim.api.keyset.create_user_command.command_args)
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

--- The host could not run, and has said why: the command waits for the next installation.
function M.failed()
  latest, pending = nil, latest
end

--- The host can run now.
function M.installed()
  local command = pending
  pending = nil
  if not command or channel.id then
    return
  end
  require('claude_ide.when.moment').when_free(function()
    local is_there = vim.api.nvim_get_current_buf() == command.bufnr
    -- A range is about the buffer in which it was typed.
    local opts = is_there and command.opts or vim.tbl_extend('force', command.opts, { range = 0 })
    command.fn(opts)
  end, function(reason)
    show(reason, 'error')
  end)
end

return M
