--- Opens, hides and shows the Claude CLI in a terminal window.
local channel = require('claude_ide.channel')
local focus = require('claude_ide.terminal.focus')
local keys = require('claude_ide.terminal.keys')
local label = require('claude_ide.window.label')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local register = require('claude_ide.terminal.register')
local terminal_window = require('claude_ide.terminal.window')
local typing_mode = require('claude_ide.terminal.typing_mode')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

local failed ---@type integer? buffer with the last output of a CLI that ended with an error
local pids = {} ---@type integer[] the connected clients'

local function is_valid(bufnr)
  return bufnr ~= nil and api.nvim_buf_is_valid(bufnr)
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
    vim.b[bufnr].claude_ide_terminal = (register.of(bufnr) or has_client) and true or nil
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

---@class claude_ide.TerminalRequest: claude_ide.TerminalPlace
---@field cmd string[]
---@field env table<string, string> more variables of its environment
---@field launch? string the id under which the CLI reports what it does; empty if it does not
---@field arguments string[] for the CLI, in addition to those in `cmd`
---@field keys boolean whether CTRL-W leads out of the terminal

-- Keep the last output until its window is closed or another CLI is started.
local function keep_output(bufnr)
  failed = bufnr
  vim.bo[bufnr].bufhidden = terminal_window.is_shown(bufnr) and 'wipe' or 'hide'
end

local function on_exit(bufnr, launch)
  return function(_, code)
    if launch ~= '' then
      channel.emit('terminal_ended', { launch = launch })
    end
    register.remove(bufnr)
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
  local window = is_valid(failed) and terminal_window.of(failed)
  local bufnr = api.nvim_create_buf(false, false)
  if window then
    api.nvim_set_current_win(window)
    api.nvim_win_set_buf(window, bufnr)
  else
    local ok, reason = pcall(terminal_window.open, bufnr, request)
    if not ok then
      api.nvim_buf_delete(bufnr, { force = true })
      error(reason, 0)
    end
  end
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
  local options = { term = true, on_exit = on_exit(bufnr, request.launch or ''), env = request.env }
  local ok, reason = pcall(vim.fn.jobstart, command, options)
  if not ok then
    remove(bufnr)
    return { error = ('cannot run %s: %s'):format(name, reason) }
  end
  rename(bufnr)
  terminal_window.set_options()
  local watch = request.keys and keys.define or typing_mode.watch
  watch(bufnr)
  register.use({ name = '1', bufnr = bufnr, place = { side = request.side, size = request.size } })
  mark_terminals()
  vim.cmd.startinsert()
end

local function show(bufnr, place)
  terminal_window.open(bufnr, place)
  terminal_window.set_options()
end

--- Start the CLI, or hide or show the running one. With arguments, start a new one, to be hidden and
--- shown from then on. If the last one failed while it was hidden, show its output first.
---@param request claude_ide.TerminalRequest
---@return { error: string }?
function M.toggle(request)
  local terminal = register.current()
  local window = terminal and terminal_window.of(terminal.bufnr)
  if #request.arguments > 0 then
    return start(request)
  elseif window then
    terminal_window.close(window)
  elseif terminal then
    show(terminal.bufnr, request)
    vim.cmd.startinsert()
  elseif is_valid(failed) and not terminal_window.is_shown(failed) then
    show(failed, request)
    vim.bo[failed].bufhidden = 'wipe'
  else
    return start(request)
  end
end

--- Whether the terminal of `:Claude` is running.
---@return boolean
function M.is_running()
  return register.current() ~= nil
end

--- Go to the terminal in which a client runs; to the terminal of `:Claude` if none is found.
---@param pid integer the client's process id; 0 if unknown
---@return { error: string }?
function M.focus(pid)
  local current = register.current()
  local bufnr = vim.iter(api.nvim_list_bufs()):find(function(bufnr)
    return runs_in(pid, bufnr)
  end) or (current and current.bufnr)
  if not bufnr then
    return {
      error = pid == 0 and 'no terminal of this Neovim runs Claude (:Claude opens one)'
        or 'Claude is not in a terminal of this Neovim; switch to it yourself',
    }
  end
  focus.go(bufnr, true)
end

return M
