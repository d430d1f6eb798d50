--- Which client runs in which terminal.
local diff_why = require('claude_ide.diff.why')
local home = require('claude_ide.window.home')
local register = require('claude_ide.terminal.register')

local M = {}

local api = vim.api

local MOST_ANCESTORS = 20

local pids = {} ---@type integer[] the connected clients'

-- The parent of a process; 0 if it is unknown. Neovim itself would run `ps` for each.
local function parent(pid)
  local stat = io.open(('/proc/%d/stat'):format(pid))
  if not stat then
    local process = api.nvim_get_proc(pid)
    return process and process.ppid or 0
  end
  -- The name of the program, in parentheses, may contain anything.
  local ppid = stat:read('*a'):match('.*%) %S (%d+)')
  stat:close()
  return tonumber(ppid) or 0
end

local function is_descendant(pid, ancestor)
  for _ = 1, MOST_ANCESTORS do
    if pid == ancestor then
      return true
    end
    pid = parent(pid)
    if pid <= 1 then
      return false
    end
  end
  return false
end

local function runs_in(pid, job)
  return pid > 0 and job ~= nil and is_descendant(pid, job)
end

--- The buffer of the terminal in which a client runs.
---@param pid integer 0 if unknown
---@return integer?
function M.buffer(pid)
  return vim.iter(api.nvim_list_bufs()):find(function(bufnr)
    return runs_in(pid, vim.b[bufnr].terminal_job_pid)
  end)
end

local function runs_in_terminal(pid, terminal)
  local job = terminal.pane and terminal.pane.pid or vim.b[terminal.bufnr].terminal_job_pid
  return runs_in(pid, job)
end

--- The terminal of ours in which a client runs.
---@param pid integer 0 if unknown
---@return claude_ide.Terminal?
function M.terminal(pid)
  return vim.iter(register.all()):find(function(terminal)
    return runs_in_terminal(pid, terminal)
  end)
end

--- The connected clients that run in a terminal of ours.
---@param terminal claude_ide.Terminal
---@return integer[] pids
function M.of(terminal)
  return vim.tbl_filter(function(pid)
    return runs_in_terminal(pid, terminal)
  end, pids)
end

-- A terminal that the user has opened belongs where it is shown.
local function home_of(pid)
  local terminal = M.terminal(pid)
  if terminal then
    return terminal.home
  end
  local bufnr = M.buffer(pid)
  local shown = vim.tbl_map(api.nvim_win_get_tabpage, bufnr and vim.fn.win_findbuf(bufnr) or {})
  local here = api.nvim_get_current_tabpage()
  return vim.list_contains(shown, here) and here or shown[1]
end
home.find_by(home_of)

diff_why.find_by(function(pid)
  local terminal = M.terminal(pid)
  return terminal and terminal.launch
end)

--- The clients that belong to this tab page: those in the terminal that commands mean, if it belongs here.
---@return integer[] pids
function M.here()
  local tabpage, current = api.nvim_get_current_tabpage(), register.current()
  local found = vim.tbl_filter(function(pid)
    return home_of(pid) == tabpage
  end, pids)
  local meant = vim.tbl_filter(function(pid)
    return current ~= nil and M.terminal(pid) == current
  end, found)
  return #meant > 0 and meant or found
end

--- Mark the buffers in which a client runs. Proposals do not wait while the user is in one of them
--- (`timing/moment.lua`).
function M.mark()
  local marked = {}
  for _, pid in ipairs(pids) do
    marked[M.buffer(pid) or 0] = true
  end
  for _, terminal in ipairs(register.all()) do
    marked[terminal.bufnr or 0] = true
  end
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if vim.bo[bufnr].buftype == 'terminal' then
      vim.b[bufnr].claude_ide_terminal = marked[bufnr]
    end
  end
end

--- Note which clients are connected.
---@param connected integer[] their process ids
function M.connected(connected)
  pids = connected
  M.mark()
end

return M
