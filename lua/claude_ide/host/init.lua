--- Starts the Python host, sends commands to it, and restarts it when it dies.
local channel = require('claude_ide.channel')
local port_hold = require('claude_ide.host.port_hold')
local process = require('claude_ide.host.process')

local M = {}

local fn = vim.fn

-- Commands that need the host, but no server.
local WITHOUT_SERVER =
  { ClaudeStop = true, ClaudeStatus = true, ClaudeTools = true, ClaudeTrust = true }

---@class claude_ide.Server
---@field port integer
---@field token string
---@field lock? string the file that announces it to the CLI, while there is one
---@field clients? integer number of connected clients

---@type table<claude_ide.HostEvent, function[]>
local subscribers = { serving = {}, start = {}, exit = {} }

local function show(text, level)
  require('claude_ide.messages.message').show(text, level)
end

--- Call those that follow an event.
---@param event claude_ide.HostEvent
---@param ... any
function M.announce(event, ...)
  for _, subscriber in ipairs(subscribers[event]) do
    subscriber(...)
  end
end

local spawn

local UNABLE, CANNOT_SERVE = 3, 4 -- exit codes of a host that has printed the reason (`host.py`)
local SIGNALLED = 128 -- a killed process has a higher exit code

---@param text string names the exit code
local function restart(text)
  local id = spawn(true)
  if id then
    channel.notify(id, process.entry .. ':command:ClaudeStart', {}, {}, 1, {})
    show(('%s and was restarted'):format(text), 'warn')
  else
    fn['claude_ide#server#Release']()
  end
end

---@param code integer
---@param stderr string[] lines
local function ended(code, stderr)
  local is_stopped = code == 0 and process.is_outdated()
  channel.id = nil
  require('claude_ide.timing.moment').notice_typing(false)
  fn['claude_ide#server#RemoveLock']()
  if vim.v.exiting ~= vim.NIL then
    return
  end
  local text = ('the Python host died (exit %d)'):format(code)
  local reason = stderr[#stderr] or text
  local was_serving = fn['claude_ide#server#Ended'](code > SIGNALLED)
  if code == 0 and was_serving == 0 and not is_stopped then
    -- Such as another program that `python` names.
    reason = ('%s: %s'):format(reason, fn['claude_ide#python#Find']().path)
  elseif code == 0 then
    M.announce('exit')
    return fn['claude_ide#server#Release']()
  end
  M.announce('exit', reason)
  -- If the host died before it opened the log, this is the only trace.
  require('claude_ide.messages.log').appender()(
    ('%s\n%s\n'):format(text, table.concat(stderr, '\n'))
  )
  if was_serving == 1 and fn['claude_ide#server#MayRestart']() == 1 then
    return restart(text)
  end
  fn['claude_ide#server#Release']()
  if code == UNABLE then
    return fn['claude_ide#ready#LacksPython'](reason)
  end
  show(code == CANNOT_SERVE and reason or ('%s (:ClaudeLog)'):format(reason), 'error')
end

---@param serve boolean whether to bind a port immediately
---@return integer? channel nil, after a message to the user, if it cannot run
spawn = function(serve)
  local options = {
    config = process.sendable(vim.g.claude_ide or vim.empty_dict()),
    log = require('claude_ide.messages.log').path(),
    state = fn['claude_ide#editor#Folder']('state'),
    hold = port_hold.open(),
  }
  local of_server = fn['claude_ide#server#Starting'](serve, port_hold.port() or 0)
  local started, refusal = process.start(vim.tbl_extend('error', options, of_server), ended)
  if not started then
    show(refusal, 'error')
    return nil
  end
  channel.id = started
  M.announce('start')
  require('claude_ide.timing.moment').notice_typing(true)
  vim.api.nvim_create_autocmd('VimLeave', {
    group = vim.api.nvim_create_augroup('claude_ide_host', {}),
    callback = function()
      fn['claude_ide#server#RemoveLock']()
    end,
  })
  return channel.id
end

--- What others can follow:
--- - `serving`, with true when the server accepts clients, and with false when it stops
--- - `start` of a host; what is emitted then arrives before any command
--- - `exit` of a host while Neovim continues, with the reason if that was unexpected
---@alias claude_ide.HostEvent 'serving'|'start'|'exit'

--- Have a function follow an event.
---@type fun(event: claude_ide.HostEvent, follow: function)
function M.on(event, follow)
  table.insert(subscribers[event], follow)
end

--- Start the host without a server, if it is not running.
---@return boolean is_running
function M.start()
  return (channel.id or spawn(false)) ~= nil
end

--- Kill a host that hangs.
---@return boolean is_killed whether there was one
function M.kill()
  return channel.id ~= nil and fn.jobstop(channel.id) == 1
end

-- Stop the whole host, so that the next one runs the updated Python.
local function stop_outdated(opts)
  process.stop(assert(channel.id))
  if not opts.bang then
    show('stopped', 'info')
  end
end

--- Send a command to the host. It is started if necessary.
---@param name string of the command
---@param opts vim.api.keyset.create_user_command.command_args
function M.command(name, opts)
  if name == 'ClaudeStop' and process.is_outdated() then
    return stop_outdated(opts)
  end
  local id = channel.id or spawn(not WITHOUT_SERVER[name])
  if not id then
    return
  end
  local lines = (opts.range or 0) > 0 and { opts.line1, opts.line2 } or {}
  local row, bufnr = vim.fn.line('.') - 1, vim.api.nvim_get_current_buf()
  local at = { bufnr, row, vim.b.changedtick, vim.api.nvim_buf_get_name(bufnr) }
  local method = process.entry .. ':command:' .. name
  channel.notify(id, method, opts.fargs or {}, lines, opts.bang and 1 or 0, at)
end

--- Called by the host as soon as it has bound its port, before anything else.
---@type fun(port: integer, token: string, lock: string)
function M.bound(port, token, lock)
  if port_hold.port() ~= port then
    port_hold.release()
  end
  fn['claude_ide#server#Bound'](port, token, lock)
end

--- Called by the host when its server accepts clients.
---@type fun(port: integer, token: string, lock: string)
function M.listening(port, token, lock)
  M.bound(port, token, lock)
  fn['claude_ide#server#Serve'](true)
end

--- The address of the running server; nil if none is running.
---@return claude_ide.Server?
function M.server()
  local server = fn['claude_ide#server#Running']()
  return next(server) and server
end

return M
