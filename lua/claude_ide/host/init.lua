--- The Python host: started, sent commands to, and brought back when it dies.
local channel = require('claude_ide.channel')
local port_hold = require('claude_ide.host.port_hold')
local process = require('claude_ide.host.process')

local M = {}

-- Commands that need the host and no server.
local WITHOUT_SERVER = { ClaudeStop = true, ClaudeStatus = true, ClaudeTrust = true }

---@class claude_ide.Server
---@field port integer
---@field token string
---@field clients? integer how many are connected

---@class claude_ide.Host: claude_ide.HostProcess
---@field serves boolean whether it serves, or is about to

--- The address that was last served; kept after the end, to come back there.
---@type claude_ide.Server?
local server
local running ---@type claude_ide.Host? the last that was started
local serving = false
local clients = 0
local outdated ---@type integer? channel of a host whose Python has been updated since
local on_serving = {} ---@type fun(on: boolean)[]
local on_exit = {} ---@type fun(reason?: string)[]

local function show(text, level)
  require('claude_ide.say.message').show(text, level)
end

local function announce(subscribers, ...)
  for _, subscriber in ipairs(subscribers) do
    subscriber(...)
  end
end

---@param on boolean
local function set_serving(on)
  local is_news = on or serving
  serving, clients = on, on and clients or 0
  if is_news then
    announce(on_serving, on)
  end
end

--- There will be no server until the user starts one, and the port is free.
local function retire()
  port_hold.release()
  require('claude_ide.host.environment').restore()
end

local spawn

local function bring_back(death)
  local id = spawn(true)
  if id then
    channel.notify(id, process.entry .. ':command:ClaudeStart', {}, {}, 1, 0)
    show(('%s and was restarted'):format(death.text), 'warn')
  else
    retire()
  end
end

local function bury(death)
  retire()
  show(death.is_explained and death.reason or ('%s (:ClaudeLog)'):format(death.reason), 'error')
end

---@param code integer
---@param stderr string[]
local function ended(code, stderr)
  channel.id = nil
  require('claude_ide.when.moment').notice_typing(false)
  local host = assert(running)
  process.withdraw(host)
  if vim.v.exiting ~= vim.NIL then
    return
  end
  local deaths = require('claude_ide.host.death')
  local death = deaths.of(code, stderr)
  local was_serving = serving or host.serves and death.was_killed
  set_serving(false)
  announce(on_exit, code ~= 0 and death.reason or nil)
  if code == 0 then
    return retire()
  end
  local ready = package.loaded['claude_ide.host.ready']
  if ready and death.lacks_python then
    ready.failed()
  end
  deaths.log(death, stderr)
  if was_serving and deaths.may_restart() then
    bring_back(death)
  else
    bury(death)
  end
end

---@param serve boolean whether to bind a port at once
---@return integer? channel nil, and a message to the user, if it cannot run
spawn = function(serve)
  local started, reason = process.start({
    config = vim.g.claude_ide or vim.empty_dict(),
    folders = require('claude_ide.file.folders').all(),
    log = require('claude_ide.say.log').path(),
    state = vim.fn.stdpath('state') .. '/claude_ide',
    serve = serve,
    port = server and server.port or 0,
    -- A process that has listened there since may have been sent it.
    token = server and port_hold.port() == server.port and server.token or '',
    hold = port_hold.open(),
  }, ended)
  if not started then
    show(reason, 'error')
    return nil
  end
  channel.id = started.channel
  require('claude_ide.when.moment').notice_typing(true)
  running = vim.tbl_extend('error', started, { serves = serve })
  vim.api.nvim_create_autocmd('VimLeave', {
    group = vim.api.nvim_create_augroup('claude_ide_host', {}),
    -- Neovim waits for a host that does not end, and then kills it.
    callback = function()
      process.withdraw(running)
    end,
  })
  return channel.id
end

--- Call `fn` with true when the server accepts clients, with false when it does no longer.
---@param fn fun(on: boolean)
function M.on_serving(fn)
  table.insert(on_serving, fn)
end

--- Call `fn` when a host has ended and Neovim has not; with the reason if it was not meant to end.
---@param fn fun(reason?: string)
function M.on_exit(fn)
  table.insert(on_exit, fn)
end

--- Have the host run, without a server if it has none.
---@return boolean runs
function M.start()
  return (channel.id or spawn(false)) ~= nil
end

--- The plugin's own Python has been updated.
---@return boolean runs whether a host goes on with the previous one
function M.outdate()
  outdated = channel.id
  return outdated ~= nil
end

-- The next host runs the updated Python.
local function stop_outdated(opts)
  process.stop(outdated)
  if not opts.bang then
    show('stopped', 'info')
  end
end

--- Send a command to the host, which is started if need be.
---@param name string
---@param opts vim.api.keyset.create_user_command.command_args
function M.command(name, opts)
  if name == 'ClaudeStop' and channel.id and channel.id == outdated then
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

--- The port is taken: processes may be told. Called before the host can do anything else.
---@param port integer
---@param token string
function M.bound(port, token)
  if port_hold.port() ~= port then
    port_hold.release()
  end
  server = { port = port, token = token }
  require('claude_ide.host.environment').announce(port)
end

--- The server accepts clients.
---@param port integer
---@param token string
function M.listening(port, token)
  M.bound(port, token)
  if running then
    running.serves = true
  end
  set_serving(true)
end

--- How many clients are connected now.
---@param count integer
function M.clients(count)
  local event = count > clients and 'ClaudeConnected' or 'ClaudeDisconnected'
  clients = count
  require('claude_ide.say.announce').event(event, { clients = count })
  vim.cmd.redrawstatus()
end

--- The server was stopped on request, or could not be started.
function M.stopped()
  if running then
    running.serves = false
  end
  set_serving(false)
  retire()
end

--- The folder of the plugin's checkout.
---@return string
function M.root()
  return process.root
end

--- The address of the running server, or nil.
---@return claude_ide.Server?
function M.server()
  return serving and vim.tbl_extend('force', server, { clients = clients }) or nil
end

return M
