--- The CLIs that `:Claude` and `:ClaudeNew` have started: their names, which one commands mean, and to which
--- tab page each belongs.
local channel = require('claude_ide.channel')
local pane = require('claude_ide.terminal.pane')

local M = {}

local api = vim.api

--- A CLI in a buffer or in a pane of tmux.
---@class claude_ide.Terminal
---@field name string the user's name for it, or a number
---@field place claude_ide.TerminalPlace where it is shown
---@field launch string the id under which it reports what it does; empty if it does not
---@field bufnr? integer
---@field pane? claude_ide.Pane
---@field is_found? boolean whether an earlier editor has left it, and the user was not there yet
---@field home integer the tab page to which it belongs
---@field worktree string the folder in which it was started, or the root of its worktree

local terminals = {} ---@type claude_ide.Terminal[] the last used one first
local per = 'neovim' ---@type 'neovim'|'tab'|'worktree'

local function worktree()
  local folder = vim.fn.getcwd()
  return vim.fs.root(folder, '.git') or folder
end

---@param terminal claude_ide.Terminal
local function is_alive(terminal)
  if terminal.pane then
    return pane.is_alive(terminal.pane)
  end
  return api.nvim_buf_is_valid(terminal.bufnr)
end

--- Forget a terminal whose CLI has ended.
---@param terminal claude_ide.Terminal
function M.remove(terminal)
  local index = vim.iter(ipairs(terminals)):find(function(_, other)
    return other == terminal
  end)
  if index then
    table.remove(terminals, index)
    if terminal.launch ~= '' then
      channel.emit('terminal_ended', { launch = terminal.launch })
    end
  end
end

--- All that run, the last used one first.
---@return claude_ide.Terminal[]
function M.all()
  for _, terminal in ipairs(vim.list_slice(terminals)) do
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

--- The terminal of a buffer.
---@param bufnr integer
---@return claude_ide.Terminal?
function M.of(bufnr)
  return find(function(terminal)
    return terminal.bufnr == bufnr
  end)
end

--- The terminal with a name.
---@param name string
---@return claude_ide.Terminal?
function M.named(name)
  return find(function(terminal)
    return terminal.name == name
  end)
end

--- A number that is not the name of another one.
---@return string
function M.new_name()
  local number = 1
  while M.named(tostring(number)) do
    number = number + 1
  end
  return tostring(number)
end

--- Set the option `terminal.per`.
---@param given 'neovim'|'tab'|'worktree'
function M.set_per(given)
  per = given
end

--- Whether every tab page has CLIs of its own.
---@return boolean
function M.is_per_tab()
  return per == 'tab'
end

-- Whether commands can mean a terminal here.
local function is_meant()
  local here = worktree()
  local tests = {
    neovim = function()
      return true
    end,
    tab = function(terminal)
      return terminal.home == api.nvim_get_current_tabpage()
    end,
    worktree = function(terminal)
      return terminal.worktree == here
    end,
  }
  return tests[per]
end

--- The one that commands mean: the one that the user is in, or the last used one; with the option
--- `terminal.per` the last used one of this tab page, or of this worktree.
---@return claude_ide.Terminal?
function M.current()
  return M.of(api.nvim_get_current_buf()) or find(is_meant())
end

--- Like `current`, to be shown or hidden now: one in a pane that has just closed does not count.
---@return claude_ide.Terminal?
function M.usable()
  local terminal = M.current()
  while terminal and terminal.pane and not pane.exists(terminal.pane) do
    M.remove(terminal)
    terminal = M.current()
  end
  return terminal
end

--- Add a terminal that has been started here: its first fields.
---@param terminal table
---@return claude_ide.Terminal
function M.add(terminal)
  terminal.home, terminal.worktree = api.nvim_get_current_tabpage(), worktree()
  table.insert(terminals, 1, terminal)
  return terminal --[[@as claude_ide.Terminal]]
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
  if per ~= 'tab' or not api.nvim_tabpage_is_valid(terminal.home) then
    terminal.home = api.nvim_get_current_tabpage()
  end
end

return M
