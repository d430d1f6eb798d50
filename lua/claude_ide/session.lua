--- Starts and stops the features' watchers with the server, and cleans up after the host. It loads no
--- feature just to clean it up.
local host = require('claude_ide.host')
local ready = require('claude_ide.host.ready')

local M = {}

-- Module and function to call when the host has ended.
local CLEANUPS = {
  { 'privacy', 'host_ended' },
  { 'batch', 'withdraw_all' },
  { 'diff', 'close_all' },
  { 'diff.accepted', 'settle_all' },
  { 'ui', 'close_all' },
  { 'approval_buffer', 'close_all' },
  { 'headless', 'host_ended' },
  { 'diagnostics.unopened', 'release' },
  { 'disk_changes.reload', 'host_ended' },
  { 'permission', 'close' },
  { 'terminal_prompt', 'host_ended' },
}
-- A buffer without a file has no lines that could be mentioned: they are quoted.
local function is_quoted(name, opts)
  return name == 'ClaudeSend'
    and (opts.range or 0) > 0
    and #(opts.fargs or {}) == 0
    and not require('claude_ide.file.path').path(0)
end

local WITHOUT_WINDOW = { ClaudeStart = true, ClaudeStop = true }
-- With `!` these take the user to Claude; the others always do.
local FOCUSING = { ClaudeSend = true, ClaudeAdd = true }

-- In a buffer that lists files, these mean the entries there: they are found now, because the list may
-- close, or change, before the host asks. `:ClaudeAdd %` is what its map types.
local function with_listed(name, opts)
  local fargs = opts.fargs or {}
  if not (name == 'ClaudeSend' or name == 'ClaudeAdd' and fargs[1] == '%' and #fargs == 1) then
    return name, opts
  end
  local lines = (opts.range or 0) > 0 and { opts.line1, opts.line2 } or {}
  local entries = require('claude_ide.selection.sources').listed(lines[1], lines[2])
  if not entries then
    return name, opts
  end
  return 'ClaudeSend', vim.tbl_extend('force', opts, { fargs = { vim.json.encode(entries) } })
end

-- The modules that the server needs once it listens, and those of a first diff, in parts that load in about
-- a millisecond.
local FOR_SERVER = { 'privacy', 'selection', 'editors', 'file.buffers' }
local FOR_DIFFS = {
  'file.borrowed_buffer',
  'diff.decision',
  'diff.windows',
  'diff.winbar',
  'diff',
}

-- Load modules one by one, so that keys are handled in between.
---@type fun(names: string[], index?: integer)
local function load_soon(names, index)
  index = index or 1
  if names[index] then
    vim.defer_fn(function()
      require('claude_ide.' .. names[index])
      load_soon(names, index + 1)
    end, 1)
  end
end

local function loaded(name)
  return package.loaded['claude_ide.' .. name]
end

-- The modules that read diagnostics are loaded when the first ones appear. A callback would receive copies of
-- all of them.
local function watch_diagnostics(on)
  local group = vim.api.nvim_create_augroup('claude_ide_session', { clear = true })
  if loaded('diagnostics') then
    loaded('diagnostics').watch(on)
  elseif on then
    vim.api.nvim_create_autocmd('DiagnosticChanged', {
      group = group,
      once = true,
      command = "lua require('claude_ide.session').have_diagnostics(vim.fn.expand('<abuf>'))",
    })
  end
end

--- Only for this module: called by the autocommand.
---@param abuf string
function M.have_diagnostics(abuf)
  require('claude_ide.diagnostics').watch(true)
  require('claude_ide.diagnostics.published').report_first(abuf)
end

---@param on boolean
local function watch(on)
  -- First: the others ask it which files stay in the editor.
  require('claude_ide.privacy').watch(on)
  require('claude_ide.selection')[on and 'start' or 'stop']()
  require('claude_ide.editors').watch(on)
  require('claude_ide.diagnostics.written').watch(on)
  require('claude_ide.disk_changes.watch').watch('server', on)
  watch_diagnostics(on)
end

host.on('serving', function(on)
  watch(on)
  if not on and loaded('diff') then
    require('claude_ide.diff').close_all()
  end
end)

host.on('start', function()
  vim.fn['claude_ide#attention#Watch']()
  -- While Python starts.
  load_soon(FOR_SERVER)
  require('claude_ide.messages.announce').on('ClaudeConnected', function()
    load_soon(FOR_DIFFS)
  end)
  if loaded('disk_changes.watch') then
    loaded('disk_changes.watch').report_all()
  end
  if loaded('tools.own') then
    require('claude_ide.tools.own').host_started()
  end
end)

host.on('exit', function(reason)
  vim.fn['claude_ide#status#Clear']()
  vim.fn['claude_ide#typed_words#HostEnded']()
  vim.fn['claude_ide#lists#HostEnded']()
  vim.fn['claude_ide#remark#HostEnded']()
  for _, cleanup in ipairs(CLEANUPS) do
    local module, name = unpack(cleanup)
    if loaded(module) then
      loaded(module)[name]()
    end
  end
  if loaded('chat.state') then
    require('claude_ide.chat.panel').host_ended(reason)
  end
end)

--- Run a command that needs the host, as soon as the host can run (`host.ready`).
---@type fun(opts: vim.api.keyset.create_user_command.command_args, fn: claude_ide.CommandFunction)
function M.run(opts, fn)
  if WITHOUT_WINDOW[opts.name] or vim.fn['claude_ide#ready#MayOpen']() then
    ready.run(opts, fn)
  end
end

--- Send a command to the host. It is started if necessary.
---@param name string of the command
---@param opts vim.api.keyset.create_user_command.command_args
function M.command(name, opts)
  name, opts = with_listed(name, opts)
  if is_quoted(name, opts) then
    return require('claude_ide.sending').quote(opts)
  end
  if name == 'Claude' or name == 'ClaudeNew' or opts.bang and FOCUSING[name] then
    -- The user means the current selection, but the command will take them to another window.
    local has_range = (opts.range or 0) > 0
    require('claude_ide.selection').hold(has_range and { opts.line1, opts.line2 } or nil)
  elseif name == 'ClaudeSessions' and not opts.bang then
    vim.fn['claude_ide#lists#Expect']('sessions', 'Sessions')
  end
  host.command(name, opts)
end

return M
