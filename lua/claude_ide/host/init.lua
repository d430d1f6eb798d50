--- Starts the Python host, sends commands to it, and restarts it when it dies.
local channel = require('claude_ide.channel')
local port_hold = require('claude_ide.host.port_hold')
local process = require('claude_ide.host.process')

local M = {}

-- Commands that need the host, but no server.
local WITHOUT_SERVER =
  { ClaudeStop = true, ClaudeStatus = true, ClaudeTools = true, ClaudeTrust = true }

---@class claude_ide.Server
---@field port integer
---@field token string
---@field lock? string the file that announces it to the CLI, while there is one
---@field clients? integer number of connected clients

---@type claude_ide.Server? the last address; kept so that the server can return to it
local server
local hooks ---@type string? the path of the Unix socket to which CLIs in terminals report
local serves = false -- whether the host serves or is about to serve
local serving = false
local clients = 0
---@type table<claude_ide.HostEvent, function[]>
local subscribers = { serving = {}, start = {}, exit = {} }

local function show(text, level)
  require('claude_ide.messages.message').show(text, level)
end

local function announce(event, ...)
  for _, subscriber in ipairs(subscribers[event]) do
    subscriber(...)
  end
end

---@param on boolean
local function set_serving(on)
  local must_announce = on or serving
  serving, clients = on, on and clients or 0
  vim.fn['claude_ide#status#Report']('clients', on and clients or nil)
  if must_announce then
    announce('serving', on)
  end
end

-- Neovim kills a host that does not exit in time, and a dead one leaves its lock: it contains a token.
local function remove_lock()
  if server and server.lock then
    vim.fn['claude_ide#server_traces#RemoveLock'](server.lock)
    server.lock = nil
  end
end

-- Free the port and restore the environment: there is no server until the user starts one.
local function release_port()
  port_hold.release()
  vim.fn['claude_ide#server_traces#RestoreVariables']()
end

local function release()
  release_port()
  -- CLIs in terminals that find no socket wait for nobody.
  if hooks then
    vim.uv.fs_unlink(hooks)
  end
end

local spawn

local MOST_RESTARTS, RESTART_WINDOW_MS = 3, 60000
local UNABLE, CANNOT_SERVE = 3, 4 -- exit codes of a host that has printed the reason (`host.py`)
local SIGNALLED = 128 -- a killed process has a higher exit code

local restarts = {} ---@type integer[] times of recent restarts, in milliseconds

-- Count a restart, and refuse it after three within a minute.
local function may_restart()
  local now = vim.uv.now()
  restarts = vim.tbl_filter(function(at)
    return now - at < RESTART_WINDOW_MS
  end, restarts)
  restarts[#restarts + 1] = now
  return #restarts <= MOST_RESTARTS
end

---@param text string names the exit code
local function restart(text)
  local id = spawn(true)
  if id then
    channel.notify(id, process.entry .. ':command:ClaudeStart', {}, {}, 1, 0)
    show(('%s and was restarted'):format(text), 'warn')
  else
    release()
  end
end

---@param code integer
---@param stderr string[] lines
local function ended(code, stderr)
  channel.id = nil
  require('claude_ide.timing.moment').notice_typing(false)
  remove_lock()
  if vim.v.exiting ~= vim.NIL then
    return
  end
  local text = ('the Python host died (exit %d)'):format(code)
  local reason = stderr[#stderr] or text
  local was_serving = serving or serves and code > SIGNALLED
  set_serving(false)
  announce('exit', code ~= 0 and reason or nil)
  if code == 0 then
    return release()
  end
  -- If the host died before it opened the log, this is the only trace.
  require('claude_ide.messages.log').appender()(
    ('%s\n%s\n'):format(text, table.concat(stderr, '\n'))
  )
  if was_serving and may_restart() then
    return restart(text)
  end
  release()
  if code == UNABLE then
    return require('claude_ide.host.ready').lacks_python(reason)
  end
  show(code == CANNOT_SERVE and reason or ('%s (:ClaudeLog)'):format(reason), 'error')
end

-- The same for each host. Its end says whose it is: CLIs that find it without a host wait as long as this
-- Neovim may start the next one.
local function hooks_path()
  if vim.fn.has('win32') == 1 then
    return ''
  end
  hooks = hooks or ('%s.%d'):format(vim.fn.tempname(), vim.fn.getpid())
  return hooks
end

---@param serve boolean whether to bind a port immediately
---@return integer? channel nil, after a message to the user, if it cannot run
spawn = function(serve)
  local started, refusal = process.start({
    config = process.sendable(vim.g.claude_ide or vim.empty_dict()),
    folders = vim.fn['claude_ide#places#Folders'](),
    log = require('claude_ide.messages.log').path(),
    state = vim.fn.stdpath('state') .. '/claude_ide',
    serve = serve,
    port = server and server.port or 0,
    -- Without the hold another process may have listened on the port, and received the token.
    token = server and port_hold.port() == server.port and server.token or '',
    hold = port_hold.open(),
    hooks = hooks_path(),
  }, ended)
  if not started then
    show(refusal, 'error')
    return nil
  end
  channel.id, serves = started, serve
  announce('start')
  require('claude_ide.timing.moment').notice_typing(true)
  vim.api.nvim_create_autocmd('VimLeave', {
    group = vim.api.nvim_create_augroup('claude_ide_host', {}),
    callback = remove_lock,
  })
  return channel.id
end

--- What others can follow:
--- - `serving`, with true when the server accepts clients, and with false when it stops
--- - `start` of a host; what is emitted then arrives before any command
--- - `exit` of a host while Neovim continues, with the reason if that was unexpected
---@alias claude_ide.HostEvent 'serving'|'start'|'exit'

--- Call `fn` at each event.
---@type fun(event: claude_ide.HostEvent, fn: function)
function M.on(event, fn)
  table.insert(subscribers[event], fn)
end

--- Start the host without a server, if it is not running.
---@return boolean is_running
function M.start()
  return (channel.id or spawn(false)) ~= nil
end

--- Kill a host that hangs.
---@return boolean is_killed whether there was one
function M.kill()
  return channel.id ~= nil and vim.fn.jobstop(channel.id) == 1
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
  local bufnr = vim.api.nvim_get_current_buf()
  local method = process.entry .. ':command:' .. name
  channel.notify(id, method, opts.fargs or {}, lines, opts.bang and 1 or 0, bufnr)
end

--- Called by the host as soon as it has bound its port, before anything else: processes may find it
--- now.
---@type fun(port: integer, token: string, lock: string)
function M.bound(port, token, lock)
  if port_hold.port() ~= port then
    port_hold.release()
  end
  server = { port = port, token = token, lock = lock }
  vim.fn['claude_ide#server_traces#SetVariables'](port)
end

--- Called by the host when its server accepts clients.
---@type fun(port: integer, token: string, lock: string)
function M.listening(port, token, lock)
  M.bound(port, token, lock)
  serves = true
  set_serving(true)
end

--- Called by the host when a client connects or disconnects.
---@param count integer of connected clients
function M.clients(count)
  local event = count > clients and 'ClaudeConnected' or 'ClaudeDisconnected'
  clients = count
  require('claude_ide.messages.announce').event(event, { clients = count })
  vim.fn['claude_ide#status#Report']('clients', serving and clients or nil)
end

--- Called by the host when the server has been stopped on request, or could not be started.
function M.stopped()
  serves = false
  set_serving(false)
  server.lock = nil
  release_port()
end

--- The address of the running server; nil if none is running.
---@return claude_ide.Server?
function M.server()
  return serving and vim.tbl_extend('force', server, { clients = clients }) or nil
end

return M
