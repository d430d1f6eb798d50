--- Postpones commands that need the host until its Python is installed, and offers to install it.
local channel = require('claude_ide.channel')
local pending = require('claude_ide.host.pending')
local python = require('claude_ide.host.python')

local M = {}

local YES, NO = 'Yes', 'Not now'

local latest ---@type claude_ide.PendingCommand? the last one that was run
local is_offering = false

local function show(text, level)
  require('claude_ide.messages.message').show(text, level)
end

local function is_installing()
  local install = package.loaded['claude_ide.host.install']
  return install ~= nil and install.is_running()
end

local function wait(command)
  local name = command.opts.name
  if pending.postpone(command) then
    show(('Python is being installed; :%s runs afterwards'):format(name), 'info')
  else
    show(('Python is being installed; run :%s again afterwards'):format(name), 'warn')
  end
end

local function answered(index, refusal)
  is_offering = false
  if index == 1 then
    require('claude_ide.host.install').run()
  else
    pending.clear()
    show(refusal, 'warn')
  end
end

local function ask_to_install(problem, refusal)
  if is_offering or is_installing() then
    return
  end
  is_offering = true
  -- The user waits for the modules that are loaded before the host starts.
  require('claude_ide.timing.moment').when_free(function()
    local prompt = ('claude-ide: %s. Run :ClaudeInstall now?'):format(problem)
    require('claude_ide.ui.vim_ui').select(prompt, { YES, NO }, function(index)
      answered(index, refusal)
    end)
  end, function(reason)
    is_offering = false
    show(reason, 'error')
  end)
end

-- `:ClaudeStart!` is what starts the server without a user.
local function is_typed(command)
  return command ~= nil and not (command.opts.name == 'ClaudeStart' and command.opts.bang)
end

---@param command claude_ide.PendingCommand?
---@param problem string
local function refuse(command, problem)
  if command then
    pending.postpone(command)
  end
  local refusal, is_installable = python.refusal(problem)
  if is_installable and is_typed(command) and #vim.api.nvim_list_uis() > 0 then
    ask_to_install(problem, refusal)
  else
    show(refusal, 'error')
  end
end

--- Run a command now, or after the current installation, or after one that the user is offered.
---@param opts vim.api.keyset.create_user_command.command_args
---@param fn claude_ide.CommandFunction
function M.run(opts, fn)
  if channel.id then
    return fn(opts)
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local command = { opts = opts, bufnr = bufnr, tick = tick, fn = fn }
  if is_installing() then
    return wait(command)
  end
  local problem = python.problem()
  if problem then
    return refuse(command, problem)
  end
  latest = command
  fn(opts)
end

--- The Python of the host cannot run it: offer an installation, or show why.
---@param problem string
function M.lacks_python(problem)
  local command = latest
  latest = nil
  refuse(command, problem)
end

return M
