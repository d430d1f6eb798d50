--- Starts a CLI: in a terminal buffer, in a pane of tmux, or as the user's function wants it.
local channel = require('claude_ide.channel')
local clients = require('claude_ide.terminal.clients')
local custom = require('claude_ide.terminal.custom')
local keys = require('claude_ide.terminal.keys')
local label = require('claude_ide.window.label')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local pane = require('claude_ide.terminal.pane')
local program = require('claude_ide.system.program')
local quiet = require('claude_ide.messages.quiet')
local register = require('claude_ide.terminal.register')
local terminal_program = require('claude_ide.system.terminal_program')
local terminal_window = require('claude_ide.terminal.window')
local typing_mode = require('claude_ide.terminal.typing_mode')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_terminal_start', { clear = true })

local failed ---@type integer? buffer with the last output of a CLI that ended with an error

---@class claude_ide.TerminalRequest: claude_ide.TerminalPlace
---@field cmd string[]
---@field env table<string, string> more variables of its environment
---@field mark string of a pane of tmux
---@field launch? string the id under which the CLI reports what it does; empty if it does not
---@field arguments string[] for the CLI, in addition to those in `cmd`
---@field keys boolean whether CTRL-W leads out of the terminal
---@field per? 'neovim'|'tab'|'worktree' which of several CLIs commands mean

local function is_valid(bufnr)
  return bufnr ~= nil and api.nvim_buf_is_valid(bufnr)
end

local function remove(bufnr)
  vim.iter(vim.fn.win_findbuf(bufnr)):each(window_close.window)
  window_close.buffer(bufnr)
end

-- Keep the last output until its window is closed or another CLI is started.
local function keep_output(bufnr)
  failed = bufnr
  vim.bo[bufnr].bufhidden = terminal_window.is_shown(bufnr) and 'wipe' or 'hide'
end

---@param bufnr integer
---@param launch string
local function on_exit(bufnr, launch)
  return function(_, code)
    local terminal = register.of(bufnr)
    if terminal then
      register.remove(terminal)
    elseif launch ~= '' then
      channel.emit('terminal_ended', { launch = launch })
    end
    if vim.v.exiting ~= vim.NIL or not api.nvim_buf_is_valid(bufnr) then
      return
    elseif code ~= 0 then
      keep_output(bufnr)
      return clients.mark()
    end
    moment.when_possible(function()
      remove(bufnr)
    end, function(reason)
      message.show(('the terminal cannot be closed: %s'):format(reason), 'error')
    end)
  end
end

-- Neovim's name for a terminal contains the whole command. Renaming it replaces the alternate buffer by one
-- with that name, which is deleted: showing it would start the command again.
local function rename(bufnr, name)
  local alternate = vim.fn.bufnr('#')
  label.give(
    bufnr,
    'claude-terminal',
    name:find('^%d+$') and 'Claude' or ('Claude (%s)'):format(name)
  )
  if alternate > 0 and api.nvim_buf_is_valid(alternate) then
    vim.fn.setreg('#', alternate)
  end
end

-- Create a buffer in a new window, in the window of a CLI that has failed, or in a given one.
---@param request claude_ide.TerminalRequest
---@param window? integer
---@return integer bufnr shown in the current window
local function new_buffer(request, window)
  window = is_valid(failed) and terminal_window.of(failed) or window
  local bufnr = api.nvim_create_buf(false, false)
  local ok, reason = pcall(terminal_window.put, bufnr, request, window)
  if not ok then
    window_close.buffer(bufnr)
    error(reason, 0)
  end
  vim.bo[bufnr].bufhidden = 'hide'
  if is_valid(failed) then
    remove(failed)
  end
  failed = nil
  return bufnr
end

---@param terminal claude_ide.Terminal
---@param has_keys boolean whether CTRL-W leads out of it
local function watch(terminal, has_keys)
  vim.b[terminal.bufnr].claude_ide_launch = terminal.launch
  if vim.bo[terminal.bufnr].filetype == '' then
    quiet.tolerate(function()
      vim.bo[terminal.bufnr].filetype = 'claude-terminal'
    end)
  end
  local begin = has_keys and keys.define or typing_mode.watch
  begin(terminal.bufnr)
  api.nvim_create_autocmd('BufEnter', {
    group = augroup,
    buffer = terminal.bufnr,
    callback = function()
      register.use(terminal)
    end,
  })
  clients.mark()
end

---@class claude_ide.Launch
---@field command string[] the program is an absolute path
---@field name string of the terminal
---@field request claude_ide.TerminalRequest

---@param launch claude_ide.Launch
---@param place claude_ide.TerminalPlace
---@param where { bufnr?: integer, pane?: claude_ide.Pane }
local function add(launch, place, where)
  local known = { name = launch.name, place = place, launch = launch.request.launch or '' }
  return register.add(vim.tbl_extend('error', known, where))
end

---@param launch claude_ide.Launch
---@param window? integer
local function in_buffer(launch, window)
  local request = launch.request
  local bufnr = new_buffer(request, window)
  local options = { on_exit = on_exit(bufnr, request.launch or ''), env = request.env }
  local ok, reason = pcall(terminal_program.start, launch.command, options)
  if not ok then
    remove(bufnr)
    return { error = ('cannot run %s: %s'):format(request.cmd[1], reason) }
  end
  rename(bufnr, launch.name)
  terminal_window.entitle(bufnr)
  watch(add(launch, { side = request.side, size = request.size }, { bufnr = bufnr }), request.keys)
  typing_mode.begin(bufnr)
end

---@param launch claude_ide.Launch
local function in_pane(launch)
  local request = launch.request
  local ok, opened = pcall(pane.open, launch.command, request.env, request.size, request.mark)
  if not ok then
    return { error = opened }
  end
  add(launch, { side = 'tmux', size = request.size }, { pane = opened })
end

-- The user's function has given the terminal its window, and closes it.
---@param launch claude_ide.Launch
---@param open claude_ide.TerminalFunction
local function as_wanted(launch, open)
  local request = launch.request
  local cwd = vim.fn.getcwd()
  local bufnr = custom.call(open, { cmd = launch.command, cwd = cwd, env = request.env })
  if not bufnr then
    return
  end
  local terminal = add(launch, { side = open, size = request.size }, { bufnr = bufnr })
  watch(terminal, request.keys)
  api.nvim_create_autocmd('TermClose', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      register.remove(terminal)
    end,
  })
end

-- Say why tmux is not used, once the user is in the split: Terminal mode would replace an earlier line.
---@param reason string
local function explain_split(reason)
  api.nvim_create_autocmd('TermEnter', {
    group = augroup,
    buffer = api.nvim_get_current_buf(),
    once = true,
    callback = vim.schedule_wrap(function()
      message.show(('%s, so Claude opens in a split'):format(reason), 'warn')
    end),
  })
end

--- Start a CLI and go there.
---@param request claude_ide.TerminalRequest
---@param name? string of the terminal; default: a number
---@param window? integer in which it opens; default: a new one
---@return { error: string }?
function M.start(request, name, window)
  local first = request.cmd[1]
  local path = program.find(first)
  if not path then
    local hint = first == 'claude' and ':checkhealth claude_ide says how to install it'
      or 'g:claude_ide.cmd'
    local problem = first:find('[/\\]') and 'no program' or 'not on PATH'
    return { error = ('%s is %s (%s)'):format(first, problem, hint) }
  end
  local command = vim.list_extend(vim.list_slice(request.cmd), request.arguments)
  command[1] = path
  local launch = { command = command, name = name or register.new_name(), request = request }
  local open = custom.find()
  if open then
    return as_wanted(launch, open)
  end
  local reason = request.side == 'tmux' and pane.refusal()
  if request.side == 'tmux' and not reason then
    return in_pane(launch)
  end
  local failure = in_buffer(launch, window)
  if reason and not failure then
    explain_split(reason)
  end
  return failure
end

---@class claude_ide.LeftPane: claude_ide.Pane
---@field launch string the id under which its CLI reports what it does; empty if it does not
---@field mark string
---@field size number of the option `terminal.size`

--- Take over a CLI that an earlier editor has left in a pane of tmux.
---@param left claude_ide.LeftPane
function M.adopt(left)
  pane.mark(left.id, left.mark)
  register.add({
    name = register.new_name(),
    place = { side = 'tmux', size = left.size },
    launch = left.launch,
    pane = { id = left.id, pid = left.pid },
    is_found = true,
  })
end

--- The output of a CLI that has failed while it was hidden. It is shown once.
---@return integer? bufnr
function M.unseen_failure()
  if not is_valid(failed) or terminal_window.is_shown(failed) then
    return nil
  end
  return failed
end

return M
