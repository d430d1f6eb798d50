--- Postpones commands that need the host until its Python is installed, and offers to install it.
local channel = require('claude_ide.channel')
local python = require('claude_ide.host.python')

local M = {}

--- Whether Python is being installed (`host/install.lua`).
M.is_installing = false

-- Commands that make sense some seconds later; true: only where nothing has changed.
local PATIENT = {
  Claude = false,
  ClaudeAdd = false,
  ClaudeAsk = true,
  ClaudeChat = false,
  ClaudeCommit = true,
  ClaudeEdit = true,
  ClaudeSend = true,
  ClaudeStart = false,
  ClaudeType = false,
}

---@alias claude_ide.CommandFunction fun(opts: vim.api.keyset.create_user_command.command_args)

---@class claude_ide.PendingCommand
---@field opts vim.api.keyset.create_user_command.command_args
---@field bufnr integer the buffer in which it was typed
---@field tick integer the state of its text
---@field fn claude_ide.CommandFunction

local latest ---@type claude_ide.PendingCommand? the last one that was run
local pending = {} ---@type claude_ide.PendingCommand[]
local is_offering = false

local function show(text, level)
  require('claude_ide.messages.message').show(text, level)
end

-- Call `fn` when the user can be taken elsewhere. They wait for the modules that are loaded before the host
-- starts, so this one is not.
local function when_free(fn)
  require('claude_ide.timing.moment').when_free(fn, function(reason)
    is_offering = false
    show(reason, 'error')
  end)
end

-- Have a command wait, if it can. It takes the place of the same command: repeated, it would toggle what the
-- first one has opened.
---@param command claude_ide.PendingCommand
---@return boolean is_waiting
local function postpone(command)
  local name, args = command.opts.name, command.opts.args
  if PATIENT[name] ~= nil then
    pending = vim.tbl_filter(function(other)
      return other.opts.name ~= name or other.opts.args ~= args
    end, pending)
    table.insert(pending, command)
  end
  return PATIENT[name] ~= nil
end

local function ask_to_install(problem, refusal)
  if is_offering or M.is_installing then
    return
  end
  is_offering = true
  when_free(function()
    local prompt = ('claude-ide: %s. Run :ClaudeInstall now?'):format(problem)
    require('claude_ide.ui.vim_ui').select(prompt, { 'Yes', 'Not now' }, function(index)
      is_offering = false
      if index == 1 then
        vim.cmd.ClaudeInstall()
      else
        pending = {}
        show(refusal, 'warn')
      end
    end)
  end)
end

---@type fun(command: claude_ide.PendingCommand?, problem: string)
local function refuse(command, problem)
  if command then
    postpone(command)
  end
  local refusal, is_installable = python.refusal(problem)
  -- `:ClaudeStart!` is what starts the server without a user.
  local is_typed = command and not (command.opts.name == 'ClaudeStart' and command.opts.bang)
  if is_installable and is_typed and #vim.api.nvim_list_uis() > 0 then
    ask_to_install(problem, refusal)
  else
    show(refusal, 'error')
  end
end

--- Run a command now, or after the current installation, or after one that the user is offered.
---@type fun(opts: vim.api.keyset.create_user_command.command_args, fn: claude_ide.CommandFunction)
function M.run(opts, fn)
  if channel.id then
    return fn(opts)
  end
  local bufnr, tick = vim.api.nvim_get_current_buf(), vim.b.changedtick
  local command = { opts = opts, bufnr = bufnr, tick = tick, fn = fn }
  if M.is_installing then
    local later = postpone(command) and { ':%s runs afterwards', 'info' }
      or { 'run :%s again afterwards', 'warn' }
    return show(('Python is being installed; ' .. later[1]):format(opts.name), later[2])
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

---@param command claude_ide.PendingCommand
local function run_now(command)
  local opts = command.opts
  local is_here = vim.api.nvim_get_current_buf() == command.bufnr
    and vim.b.changedtick == command.tick
  if PATIENT[opts.name] and not is_here then
    return show(('Python is ready; run :%s again'):format(opts.name), 'warn')
  end
  -- A range only makes sense in the text in which it was typed.
  opts.range = is_here and opts.range or 0
  command.fn(opts)
end

--- The names of the commands that wait, such as `:Claude, :ClaudeStart`; empty without any.
---@return string
function M.waiting()
  local names = vim.tbl_map(function(command)
    return ':' .. command.opts.name
  end, pending)
  return table.concat(names, ', ')
end

--- Python has been installed: run the commands that wait for it.
function M.installed()
  local commands = pending
  pending = {}
  if #commands > 0 then
    when_free(function()
      vim.iter(commands):each(run_now)
    end)
  end
end

return M
