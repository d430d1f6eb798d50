--- Opens, hides and shows the Claude CLI in a terminal window.
local channel = require('claude_ide.channel')
local label = require('claude_ide.window.label')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local keys = require('claude_ide.terminal.keys')
local location = require('claude_ide.window.location')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

local SPLITS = {
  right = 'botright vsplit',
  left = 'topleft vsplit',
  above = 'topleft split',
  below = 'botright split',
}

local current ---@type integer? buffer of the terminal that `:Claude` shows
local failed ---@type integer? buffer with the last output of a CLI that ended with an error
local pids = {} ---@type integer[] the connected clients'

local function is_valid(bufnr)
  return bufnr ~= nil and api.nvim_buf_is_valid(bufnr)
end

---@return integer? window in the current tab page that shows the buffer
local function window_of(bufnr)
  return vim.iter(api.nvim_tabpage_list_wins(0)):find(function(window)
    return api.nvim_win_get_buf(window) == bufnr
  end)
end

local function is_descendant(pid, ancestor)
  for _ = 1, 20 do
    if pid == ancestor then
      return true
    end
    local process = api.nvim_get_proc(pid)
    if not process or process.ppid <= 1 then
      return false
    end
    pid = process.ppid
  end
  return false
end

local function runs_in(pid, bufnr)
  local job = vim.b[bufnr].terminal_job_pid
  return pid > 0 and job ~= nil and is_descendant(pid, job)
end

local function is_terminal(bufnr)
  return vim.bo[bufnr].buftype == 'terminal'
end

-- Mark the buffers in which a client runs. Proposals do not wait while the user is in one of them
-- (`when/moment.lua`).
local function mark_terminals()
  for _, bufnr in ipairs(vim.tbl_filter(is_terminal, api.nvim_list_bufs())) do
    local has_client = vim.iter(pids):any(function(pid)
      return runs_in(pid, bufnr)
    end)
    vim.b[bufnr].claude_ide_terminal = (bufnr == current or has_client) or nil
  end
end

--- Called by the host with the connected clients.
---@param connected integer[] their process ids
function M.connected(connected)
  pids = connected
  mark_terminals()
end

local function remove(bufnr)
  vim.iter(vim.fn.win_findbuf(bufnr)):each(window_close.window)
  window_close.buffer(bufnr)
end

---@class claude_ide.TerminalRequest
---@field cmd string[]
---@field env table<string, string> more variables of its environment
---@field launch? string the id under which the CLI reports what it does; empty if it does not
---@field arguments string[] for the CLI, in addition to those in `cmd`
---@field side 'right'|'left'|'above'|'below'
---@field size number below 1 a share of the screen, else columns or lines
---@field keys boolean whether CTRL-W leads out of the terminal

---@param request claude_ide.TerminalRequest
---@return integer window the current one
local function open_window(request)
  local wide = request.side == 'right' or request.side == 'left'
  local whole = wide and vim.o.columns or vim.o.lines
  local size = request.size < 1 and math.floor(whole * request.size) or request.size
  vim.cmd(SPLITS[request.side])
  local window = api.nvim_get_current_win()
  api[wide and 'nvim_win_set_width' or 'nvim_win_set_height'](window, math.floor(size))
  return window
end

local function set_options(window)
  local options = vim.wo[window][0]
  options.number, options.relativenumber, options.signcolumn = false, false, 'no'
  options.foldcolumn, options.spell, options.list = '0', false, false
end

local function is_shown(bufnr)
  return #vim.fn.win_findbuf(bufnr) > 0
end

-- Keep the last output until its window is closed or another CLI is started.
local function keep_output(bufnr)
  failed = bufnr
  vim.bo[bufnr].bufhidden = is_shown(bufnr) and 'wipe' or 'hide'
end

local function on_exit(bufnr, launch)
  return function(_, code)
    if launch ~= '' then
      channel.emit('terminal_ended', { launch = launch })
    end
    if current == bufnr then
      current = nil
    end
    if vim.v.exiting ~= vim.NIL or not api.nvim_buf_is_valid(bufnr) then
      return
    elseif code ~= 0 then
      keep_output(bufnr)
      return mark_terminals()
    end
    moment.when_possible(function()
      remove(bufnr)
    end, function(reason)
      message.show(('the terminal cannot be closed: %s'):format(reason), 'error')
    end)
  end
end

-- Neovim's name for a terminal contains the whole command. So does the name of the alternate buffer
-- that renaming creates; that buffer is deleted, because showing it would start the command again.
local function rename(bufnr)
  local name, alternate = api.nvim_buf_get_name(bufnr), vim.fn.bufnr('#')
  label.give(bufnr, 'claude-terminal', 'Claude')
  for _, other in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_get_name(other) == name then
      window_close.buffer(other)
    end
  end
  if alternate > 0 and api.nvim_buf_is_valid(alternate) then
    vim.fn.setreg('#', alternate)
  end
end

-- Create a buffer in a new window, or in the window of a CLI that has failed.
---@param request claude_ide.TerminalRequest
---@return integer bufnr shown in the current window
local function new_buffer(request)
  local window = is_valid(failed) and window_of(failed)
  if window then
    api.nvim_set_current_win(window)
  else
    window = open_window(request)
  end
  local bufnr = api.nvim_create_buf(false, false)
  api.nvim_win_set_buf(window, bufnr)
  vim.bo[bufnr].bufhidden = 'hide'
  if is_valid(failed) then
    remove(failed)
  end
  failed = nil
  return bufnr
end

---@param request claude_ide.TerminalRequest
---@return { error: string }?
local function start(request)
  local name = request.cmd[1]
  local program = require('claude_ide.system.program').find(name)
  if not program then
    local hint = name == 'claude' and 'how to install it: :checkhealth claude_ide'
      or 'g:claude_ide.cmd'
    local problem = name:find('[/\\]') and 'no program' or 'not on PATH'
    return { error = ('%s is %s (%s)'):format(name, problem, hint) }
  end
  local bufnr = new_buffer(request)
  local command = vim.list_extend(vim.list_slice(request.cmd), request.arguments)
  command[1] = program
  vim.b[bufnr].claude_ide_launch = request.launch
  local options = { term = true, on_exit = on_exit(bufnr, request.launch or ''), env = request.env }
  local ok, reason = pcall(vim.fn.jobstart, command, options)
  if not ok then
    remove(bufnr)
    return { error = ('cannot run %s: %s'):format(name, reason) }
  end
  rename(bufnr)
  set_options(api.nvim_get_current_win())
  if request.keys then
    keys.define(bufnr)
  end
  current = bufnr
  mark_terminals()
  vim.cmd.startinsert()
end

local function show(bufnr, request)
  local window = open_window(request)
  api.nvim_win_set_buf(window, bufnr)
  set_options(window)
end

--- Start the CLI, or hide or show the running one. With arguments, start a new one, to be hidden and
--- shown from then on. If the last one failed while it was hidden, show its output first.
---@param request claude_ide.TerminalRequest
---@return { error: string }?
function M.toggle(request)
  local is_running = is_valid(current)
  local window = is_running and window_of(current)
  if #request.arguments > 0 then
    return start(request)
  elseif not is_running and is_valid(failed) and not is_shown(failed) then
    show(failed, request)
    vim.bo[failed].bufhidden = 'wipe'
  elseif not is_running then
    return start(request)
  elseif window then
    location.cancel_insert()
    window_close.window(window)
  else
    show(current, request)
    vim.cmd.startinsert()
  end
end

--- Whether the terminal of `:Claude` is running.
---@return boolean
function M.is_running()
  return is_valid(current)
end

--- The terminal in which a client runs; that of `:Claude` if no process is given.
---@param pid integer the client's process id; 0 if unknown
---@return integer? bufnr
function M.find(pid)
  local found = vim.iter(api.nvim_list_bufs()):find(function(bufnr)
    return runs_in(pid, bufnr)
  end)
  return found or (pid == 0 and is_valid(current) and current or nil)
end

--- Go to the terminal in which a client runs; to the terminal of `:Claude` if none is found.
---@param pid integer the client's process id; 0 if unknown
---@return { error: string }?
function M.focus(pid)
  local terminal = M.find(pid) or M.find(0)
  if not terminal then
    return {
      error = pid == 0 and 'no terminal of this Neovim runs Claude (:Claude opens one)'
        or 'Claude is not in a terminal of this Neovim; switch to it yourself',
    }
  end
  local window = window_of(terminal)
  if window then
    api.nvim_set_current_win(window)
  else
    vim.cmd('botright vsplit')
    api.nvim_win_set_buf(0, terminal)
    set_options(api.nvim_get_current_win())
  end
  vim.cmd.startinsert()
end

return M
