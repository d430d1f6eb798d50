--- The CLIs that `:Claude` and `:ClaudeNew` have started: their names, which one commands mean, to which tab
--- page each belongs, and which clients run in them.
local channel = require('claude_ide.channel')
local location = require('claude_ide.window.location')
local own_options = require('claude_ide.own_options')

local M = {}

local api = vim.api

--- A pane of the user's tmux, which the host shows and hides (`hooks/panes.py`).
---@class claude_ide.Pane
---@field id string tmux's, such as `%3`
---@field pid integer of the shell in it: it ends with the CLI, or when the user has seen why that ended

--- A CLI in a buffer or in a pane of tmux.
---@class claude_ide.Terminal
---@field name string the user's name for it, or a number
---@field place claude_ide.TerminalPlace where it is shown
---@field launch string the id under which it reports what it does; empty if it does not
---@field bufnr? integer
---@field pane? claude_ide.Pane
---@field is_found? boolean whether an earlier editor has left it, and the user was not there yet
---@field attached? string the session in the background that it shows
---@field home integer the tab page to which it belongs
---@field folder string in which it was started
---@field worktree string that folder, or the root of the worktree in which its session works

local terminals = {} ---@type claude_ide.Terminal[] the last used one first
-- By the process id of a connected client: those of itself and its ancestors.
local lineages = {} ---@type table<integer, integer[]>

local function worktree()
  local folder = vim.fn.getcwd()
  return vim.fs.root(folder, '.git') or folder
end

---@param terminal claude_ide.Terminal
local function is_alive(terminal)
  if terminal.pane then
    return vim.uv.kill(terminal.pane.pid, 0) == 0
  end
  return api.nvim_buf_is_valid(terminal.bufnr)
end

local function report()
  local names = vim.tbl_map(function(terminal)
    return terminal.name
  end, terminals)
  require('claude_ide.status_line').report('terminals', names)
end

--- Forget a terminal whose CLI has ended.
---@param terminal claude_ide.Terminal
function M.remove(terminal)
  local count = #terminals
  terminals = vim.tbl_filter(function(other)
    return other ~= terminal
  end, terminals)
  report()
  if #terminals < count and terminal.launch ~= '' then
    channel.emit('terminal_ended', { launch = terminal.launch })
  end
end

--- All that run, the last used one first.
---@return claude_ide.Terminal[]
function M.all()
  for _, terminal in ipairs(terminals) do
    if not is_alive(terminal) then
      M.remove(terminal)
    end
  end
  return terminals
end

---@param test fun(terminal: claude_ide.Terminal): boolean
---@return claude_ide.Terminal?
local function find(test)
  return vim.iter(M.all()):find(test)
end

local function with(field, value)
  return find(function(terminal)
    return terminal[field] == value
  end)
end

--- The terminal of a buffer.
---@type fun(bufnr: integer): claude_ide.Terminal?
function M.of(bufnr)
  return with('bufnr', bufnr)
end

--- The terminal with a name.
---@type fun(name: string): claude_ide.Terminal?
function M.named(name)
  return with('name', name)
end

local function new_name()
  local number = 1
  while M.named(tostring(number)) do
    number = number + 1
  end
  return tostring(number)
end

--- Whether every tab page has CLIs of its own.
---@return boolean
function M.is_per_tab()
  return own_options.get('terminal', 'per') == 'tab'
end

-- Whether commands can mean a terminal here.
---@param terminal claude_ide.Terminal
local function is_meant(terminal)
  if M.is_per_tab() then
    return terminal.home == api.nvim_get_current_tabpage()
  end
  local is_any = own_options.get('terminal', 'per') ~= 'worktree'
  return is_any or terminal.worktree == worktree()
end

--- The one that commands mean: the one that the user is in, or the last used one; with the option
--- `terminal.per` the last used one of this tab page, or of this worktree.
---@return claude_ide.Terminal?
function M.current()
  return M.of(api.nvim_get_current_buf()) or find(is_meant)
end

--- Add a terminal: its first fields. Without a name it gets a number.
---@type fun(terminal: table): claude_ide.Terminal
function M.add(terminal)
  terminal.name = terminal.name or new_name()
  terminal.home, terminal.worktree = api.nvim_get_current_tabpage(), worktree()
  terminal.folder = vim.fn.getcwd()
  table.insert(terminals, 1, terminal)
  report()
  return terminal --[[@as claude_ide.Terminal]]
end

--- Describe a terminal in `b:claude_ide`.
---@param terminal claude_ide.Terminal
---@param state 'idle'|'working'|'wants you'
function M.describe(terminal, state)
  local folder = terminal.folder
  vim.b[terminal.bufnr].claude_ide = { name = terminal.name, folder = folder, state = state }
end

--- Called by the host: what the CLI in a terminal does.
---@param launch string
---@param state 'idle'|'working'|'wants you'
function M.set_state(launch, state)
  local terminal = with('launch', launch)
  if terminal and terminal.bufnr then
    M.describe(terminal, state)
    vim.cmd.redrawstatus({ bang = true })
  end
end

--- Called by the host: the session of a terminal works in another worktree.
---@type fun(name: string, worktree_now: string)
function M.work_in(name, worktree_now)
  local terminal = M.named(name)
  if terminal then
    terminal.worktree = worktree_now
  end
end

--- Note that the user uses a terminal in this tab page. It belongs here from now on, unless every tab page
--- has its own.
---@param terminal claude_ide.Terminal
function M.use(terminal)
  for index, other in ipairs(terminals) do
    if other == terminal then
      table.insert(terminals, 1, table.remove(terminals, index))
    end
  end
  if not (M.is_per_tab() and api.nvim_tabpage_is_valid(terminal.home)) then
    terminal.home = api.nvim_get_current_tabpage()
  end
end

-- The clients.

---@param terminal { bufnr?: integer, pane?: claude_ide.Pane }
---@return integer pid of its program, or of the shell in its pane
local function pid_of(terminal)
  return terminal.pane and terminal.pane.pid or vim.b[terminal.bufnr].terminal_job_pid
end

---@param pid integer of a client; 0 if unknown
---@param terminal { bufnr?: integer, pane?: claude_ide.Pane }
local function runs_in(pid, terminal)
  return vim.list_contains(lineages[pid] or {}, pid_of(terminal))
end

---@param terminal { bufnr?: integer, pane?: claude_ide.Pane }
---@return integer[] pids
local function clients_in(terminal)
  return vim.tbl_filter(function(pid)
    return runs_in(pid, terminal)
  end, vim.tbl_keys(lineages))
end

--- The terminal in which a client runs; only its buffer if the user has opened it.
---@param pid integer 0 if unknown
---@return claude_ide.Terminal|{ bufnr: integer }|nil
function M.of_client(pid)
  local own = find(function(terminal)
    return runs_in(pid, terminal)
  end)
  local bufnr = not own
    and vim.iter(api.nvim_list_bufs()):find(function(each)
      return runs_in(pid, { bufnr = each })
    end)
  return own or bufnr and { bufnr = bufnr } or nil
end

--- Called by the host: the terminals that run, the last used one first (`Terminal` of the port).
---@return table[]
function M.running()
  local current = M.current()
  return vim.tbl_map(function(terminal)
    return {
      launch = terminal.launch,
      name = terminal.name,
      is_current = terminal == current,
      folder = terminal.worktree,
      pids = clients_in(terminal),
      pane = terminal.pane and terminal.pane.id,
      pid = pid_of(terminal),
      attached = terminal.attached,
    }
  end, M.all())
end

-- The tab page to which a client belongs, and the launch of its terminal if that is ours. A terminal that the
-- user has opened belongs where it is shown.
---@return integer? tabpage
---@return string? launch
local function home_of(pid)
  local terminal = M.of_client(pid) or {}
  if terminal.home or not terminal.bufnr then
    return terminal.home, terminal.launch
  end
  local shown = vim.tbl_map(api.nvim_win_get_tabpage, vim.fn.win_findbuf(terminal.bufnr))
  local here = api.nvim_get_current_tabpage()
  return vim.list_contains(shown, here) and here or shown[1]
end
location.find_by(home_of)

--- Called by the host: the clients that belong to this tab page, which are those in the terminal that
--- commands mean, if it belongs here.
---@return integer[] pids
function M.here()
  local tabpage, current = api.nvim_get_current_tabpage(), M.current()
  local meant = current and current.home == tabpage and clients_in(current) or {}
  return #meant > 0 and meant
    or vim.tbl_filter(function(pid)
      return (home_of(pid)) == tabpage
    end, vim.tbl_keys(lineages))
end

--- Mark the buffers in which a client runs. Proposals do not wait while the user is in one of them
--- (`timing/moment.lua`).
function M.mark()
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if vim.bo[bufnr].buftype == 'terminal' then
      local is_claudes = M.of(bufnr) ~= nil or #clients_in({ bufnr = bufnr }) > 0
      vim.b[bufnr].claude_ide_terminal = is_claudes or nil
    end
  end
end

--- Called by the host with the connected clients.
---@param connected integer[][] for each its process id, and those of its ancestors
function M.connected(connected)
  lineages = {}
  for _, lineage in ipairs(connected) do
    lineages[lineage[1]] = lineage
  end
  M.mark()
end

return M
