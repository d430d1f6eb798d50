--- Opens, hides and shows the Claude CLI in a terminal.
local clients = require('claude_ide.terminal.clients')
local focus = require('claude_ide.terminal.focus')
local pane = require('claude_ide.terminal.pane')
local register = require('claude_ide.terminal.register')
local start = require('claude_ide.terminal.start')
local switch = require('claude_ide.terminal.switch')
local terminal_window = require('claude_ide.terminal.window')
local typing_mode = require('claude_ide.terminal.typing_mode')

local M = {}

local api = vim.api

--- Called by the host with the connected clients.
---@param connected integer[] their process ids
function M.connected(connected)
  clients.connected(connected)
end

--- Called by the host: the clients that belong to this tab page.
---@return integer[] pids
function M.here()
  return clients.here()
end

--- Called by the host for a CLI that an earlier editor has left in a pane of tmux.
---@param left claude_ide.LeftPane
function M.adopt(left)
  start.adopt(left)
end

---@param terminal claude_ide.Terminal
local function toggle_pane(terminal)
  if pane.is_shown(terminal.pane) and not terminal.is_found then
    pane.hide(terminal.pane)
  else
    focus.show(terminal, true)
  end
end

---@param terminal claude_ide.Terminal
local function toggle_buffer(terminal)
  local bufnr, is_tab = terminal.bufnr, terminal.place.side == 'tab'
  local window = terminal_window.of(bufnr)
  if not window and is_tab and terminal_window.is_shown(bufnr) then
    return focus.go(bufnr, true)
  elseif not window then
    terminal_window.open(bufnr, terminal.place)
    return typing_mode.begin(bufnr)
  end
  if is_tab and window == api.nvim_get_current_win() then
    focus.leave(bufnr)
  end
  terminal_window.close(window)
end

---@param terminal claude_ide.Terminal
---@return { error: string }?
local function toggle(terminal)
  local ok, reason = pcall(terminal.pane and toggle_pane or toggle_buffer, terminal)
  return not ok and { error = reason } or nil
end

---@param request claude_ide.TerminalRequest
local function configure(request)
  if request.per then
    register.set_per(request.per)
  end
end

--- Start the CLI, or hide or show the running one. With arguments, start a new one, to be hidden and
--- shown from then on. If the last one failed while it was hidden, show its output first.
---@param request claude_ide.TerminalRequest
---@return { error: string }?
function M.toggle(request)
  configure(request)
  local terminal, failed = register.usable(), start.unseen_failure()
  if #request.arguments > 0 then
    return start.start(request)
  elseif terminal then
    return toggle(terminal)
  elseif failed then
    terminal_window.open(failed, request)
    vim.bo[failed].bufhidden = 'wipe'
  else
    return start.start(request)
  end
end

--- Start another CLI, in the window of the current one.
---@param request claude_ide.TerminalRequest
---@param name string for `:ClaudeSwitch`; empty: a number
---@return { error: string }?
function M.new(request, name)
  configure(request)
  if register.named(name) then
    return { error = ('there is a Claude named "%s" (:ClaudeSwitch goes there)'):format(name) }
  end
  switch.hide_pane()
  return start.start(request, name ~= '' and name or nil, switch.window())
end

--- Called by the host: the terminals that run, and which of them a command here can mean: that in which the
--- user is, or else those of this tab page.
---@return [string, string, boolean, string, integer[]][] terminals the id of the launch, the name, whether it
---  is meant, the folder, and the process ids of its clients
function M.running()
  local entered, here = register.of(api.nvim_get_current_buf()), api.nvim_get_current_tabpage()
  return vim.tbl_map(function(terminal)
    local is_meant = terminal == entered or not entered and terminal.home == here
    local pids = clients.of(terminal)
    return { terminal.launch, terminal.name, is_meant, terminal.worktree, pids }
  end, register.all())
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
  local bufnr = clients.buffer(pid)
  local terminal = clients.terminal(pid) or not bufnr and register.usable() or nil
  if terminal then
    focus.show(terminal, true)
  elseif bufnr then
    focus.go(bufnr, true)
  else
    return {
      error = pid == 0 and 'no terminal of this Neovim runs Claude (:Claude opens one)'
        or 'Claude is not in a terminal of this Neovim; switch to it yourself',
    }
  end
end

return M
