--- The Python host: found, started, sent commands to, and brought back when it dies.
local announce = require('claude_ide.say.announce')
local channel = require('claude_ide.channel')
local lock = require('claude_ide.host.lock')
local message = require('claude_ide.say.message')
local port_hold = require('claude_ide.host.port_hold')
local python = require('claude_ide.host.python')

local M = {}

-- Commands that need the host and no server.
local WITHOUT_SERVER = { ClaudeStop = true, ClaudeStatus = true, ClaudeTrust = true }
local MOST_RESTARTS = 3
local RESTART_WINDOW_MS = 60000
-- Every user of the machine can read a command line; only we can read the environment.
local OPTIONS = 'CLAUDE_IDE_HOST'
local LARGEST_OPTIONS = 128 * 1024 - #OPTIONS - 2 -- Linux allows no longer variable
local UNABLE, UNSERVED = 3, 4 -- the exit codes of a host that has said what is wrong (`host.py`)
local LONGEST_END_MS = 3000
local SIGNALLED = 128 -- and above: the exit codes of those that were killed
local VARIABLES = { 'CLAUDE_CODE_SSE_PORT', 'ENABLE_IDE_INTEGRATION', 'no_proxy', 'NO_PROXY' }

local root = vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)):match('^(.*)/lua/claude_ide/')
local entry = root .. '/rplugin/python3/claude_ide_rplugin.py'

---@class claude_ide.Server
---@field port integer
---@field token string
---@field clients? integer how many are connected

---@class claude_ide.Host
---@field pid integer
---@field locks string folder of its lock file
---@field serves boolean whether it serves, or is about to

--- The address that was last served; kept after the end, to come back there.
---@type claude_ide.Server?
local server
local running ---@type claude_ide.Host? the last that was started
local serving = false
local clients = 0
local restarts = {} ---@type integer[] milliseconds
local stderr = {} ---@type string[]
local environment ---@type table<string, string|false>? what the variables were before
local outdated ---@type integer? channel of a host whose Python has been updated since

local function working_folders()
  return require('claude_ide.file.buffers').folders()
end

--- Put 127.0.0.1 into a list of hosts that need no proxy.
local function without_proxy(hosts)
  if not hosts or hosts == '' then
    return '127.0.0.1'
  end
  local listed = vim.tbl_contains(vim.split(hosts, ',', { trimempty = true }), '127.0.0.1')
  return listed and hosts or hosts .. ',127.0.0.1'
end

--- Have every process that Neovim starts from now on find the server.
local function set_environment(port)
  if not environment then
    environment = {}
    for _, name in ipairs(VARIABLES) do
      environment[name] = vim.env[name] or false
    end
  end
  vim.env.CLAUDE_CODE_SSE_PORT = tostring(port)
  vim.env.ENABLE_IDE_INTEGRATION = 'true'
  vim.env.no_proxy = without_proxy(vim.env.no_proxy)
  vim.env.NO_PROXY = without_proxy(vim.env.NO_PROXY)
end

local function restore_environment()
  for name, value in pairs(environment or {}) do
    vim.env[name] = value or nil
  end
  environment = nil
end

--- What the editor's half does while a server runs, on or off.
---@param on boolean
local function watch(on)
  local selection = require('claude_ide.selection')
  selection[on and 'start' or 'stop']()
  require('claude_ide.file.buffers').watch(on)
  require('claude_ide.diagnostics').watch(on)
  require('claude_ide.disk.change').watch('server', on)
end

local spawn

local function may_restart()
  local now = vim.uv.now()
  restarts = vim.tbl_filter(function(at)
    return now - at < RESTART_WINDOW_MS
  end, restarts)
  restarts[#restarts + 1] = now
  return #restarts <= MOST_RESTARTS
end

--- There will be no server until the user starts one, and the port is free.
local function retire()
  port_hold.release()
  restore_environment()
end

--- Remove the lock of a host that cannot remove it: it names a token and a port that is now free.
local function withdraw()
  if running then
    lock.withdraw(running.locks, running.pid)
  end
end

-- If it died before it opened the log itself, this is all that is known.
local function log_death(code)
  local append = require('claude_ide.say.log').appender()
  append(('the Python host died (exit %d)\n%s\n'):format(code, table.concat(stderr, '\n')))
end

local function on_exit(_, code)
  channel.id = nil
  require('claude_ide.when.moment').notice_typing(false)
  withdraw()
  if vim.v.exiting ~= vim.NIL then
    return
  end
  local was_serving = serving or (running ~= nil and running.serves and code > SIGNALLED)
  serving, clients = false, 0
  watch(false)
  require('claude_ide.diff').close_all()
  require('claude_ide.diff.accepted').settle_all()
  require('claude_ide.dialogue').close_all()
  require('claude_ide.question').host_ended()
  require('claude_ide.diagnostics.unopened').release()
  local reason = stderr[#stderr] or ('the Python host died (exit %d)'):format(code)
  if package.loaded['claude_ide.chat.state'] then
    require('claude_ide.chat.hostless').host_ended(code ~= 0 and reason or nil)
  end
  if code == 0 then
    retire()
    return
  end
  if code == UNABLE and package.loaded['claude_ide.host.ready'] then
    require('claude_ide.host.ready').failed()
  end
  log_death(code)
  if not was_serving or not may_restart() then
    retire()
    local is_explained = code == UNABLE or code == UNSERVED
    message.show(is_explained and reason or ('%s (:ClaudeLog)'):format(reason), 'error')
    return
  end
  local id = spawn(true)
  if id then
    channel.notify(id, entry .. ':command:ClaudeStart', {}, {}, 1, 0)
    message.show(('the Python host died (exit %d) and is back'):format(code), 'warn')
  else
    retire()
  end
end

---@param serve boolean whether to bind a port at once
---@return string? options nil, and a message to the user, if they cannot be passed
local function encode_options(serve)
  local is_json, options = pcall(vim.json.encode, {
    entry = entry,
    pid = vim.fn.getpid(),
    config = vim.g.claude_ide or vim.empty_dict(),
    folders = working_folders(),
    log = require('claude_ide.say.log').path(),
    state = vim.fn.stdpath('state') .. '/claude_ide',
    serve = serve,
    port = server and server.port or 0,
    -- A process that has listened there since may have been sent it.
    token = server and port_hold.port() == server.port and server.token or '',
    hold = port_hold.open(),
  })
  if not is_json then
    message.show(('g:claude_ide: %s'):format(options), 'error')
  elseif #options > LARGEST_OPTIONS then
    local size = math.ceil(#options / 1024)
    message.show(('g:claude_ide is too large: %d kB, and 127 kB fit'):format(size), 'error')
  else
    return options
  end
end

---@param serve boolean whether to bind a port at once
---@return integer? channel
spawn = function(serve)
  local program, reason = python.find(root)
  if not program then
    message.show(reason, 'error')
    return nil
  end
  local options = encode_options(serve)
  if not options then
    return nil
  end
  stderr = {}
  local ok, id = pcall(vim.fn.jobstart, { program, '-I', root .. '/python/claude_ide/host.py' }, {
    env = { [OPTIONS] = options },
    rpc = true,
    on_exit = on_exit,
    on_stderr = function(_, lines)
      for _, line in ipairs(lines) do
        if line ~= '' then
          stderr[#stderr + 1] = line
        end
      end
    end,
  })
  if not ok or id <= 0 then
    message.show(('cannot run %s'):format(program), 'error')
    return nil
  end
  channel.id = id
  require('claude_ide.when.moment').notice_typing(true)
  running = { pid = vim.fn.jobpid(id), locks = lock.folder(), serves = serve }
  vim.api.nvim_create_autocmd('VimLeave', {
    group = vim.api.nvim_create_augroup('claude_ide_host', {}),
    -- Neovim waits for a host that does not end, and then kills it.
    callback = withdraw,
  })
  return id
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

-- End the host itself, not only its server: the next one runs the updated Python.
local function end_host(id)
  vim.fn.chanclose(id)
  if vim.fn.jobwait({ id }, LONGEST_END_MS)[1] < 0 then
    vim.fn.jobstop(id)
  end
end

--- Send a command to the host, which is started if need be.
---@param name string
---@param opts vim.api.keyset.create_user_command.command_args
function M.command(name, opts)
  local lines = (opts.range or 0) > 0 and { opts.line1, opts.line2 } or {}
  if name == 'Claude' or opts.bang then
    -- The command will lead the user away; what is selected now is what is meant.
    require('claude_ide.selection').hold(lines[1] and lines)
  end
  if name == 'ClaudeStop' and channel.id and channel.id == outdated then
    end_host(outdated)
    if not opts.bang then
      message.show('stopped', 'info')
    end
    return
  end
  local id = channel.id or spawn(not WITHOUT_SERVER[name])
  if not id then
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local method = entry .. ':command:' .. name
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
  set_environment(port)
end

--- The server accepts clients.
---@param port integer
---@param token string
function M.listening(port, token)
  M.bound(port, token)
  serving = true
  if running then
    running.serves = true
  end
  watch(true)
end

--- How many clients are connected now.
---@param count integer
function M.clients(count)
  local event = count > clients and 'ClaudeConnected' or 'ClaudeDisconnected'
  clients = count
  announce.event(event, { clients = count })
  vim.cmd.redrawstatus()
end

--- The server was stopped on request, or could not be started.
function M.stopped()
  serving, clients = false, 0
  if running then
    running.serves = false
  end
  watch(false)
  require('claude_ide.diff').close_all()
  retire()
end

--- The folder of the plugin's checkout.
---@return string
function M.root()
  return root
end

--- The address of the running server, or nil.
---@return claude_ide.Server?
function M.server()
  return serving and vim.tbl_extend('force', server, { clients = clients }) or nil
end

return M
