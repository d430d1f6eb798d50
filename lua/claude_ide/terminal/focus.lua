--- `:ClaudeFocus`: into the terminal in which Claude runs, and back to where the user was.
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local pane = require('claude_ide.terminal.pane')
local register = require('claude_ide.terminal.register')
local terminal_window = require('claude_ide.terminal.window')
local tiling = require('claude_ide.window.tiling')
local typing_mode = require('claude_ide.terminal.typing_mode')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_terminal_focus', { clear = true })

local origins = {} ---@type table<integer, claude_ide.Location> by buffer: where the user came from
local is_going = false

-- If the user enters the terminal in another way, they come from the previous window.
local function watch(bufnr)
  if origins[bufnr] then
    return
  end
  api.nvim_create_autocmd('WinEnter', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      if not is_going then
        origins[bufnr] = nil
        return true
      end
    end,
  })
end

local ANYWHERE = { side = 'right', size = 0.4 } ---@type claude_ide.TerminalPlace

local function enter(bufnr, will_type)
  local window = terminal_window.of(bufnr) or vim.fn.win_findbuf(bufnr)[1]
  if window then
    api.nvim_set_current_win(window)
    typing_mode.resume(bufnr)
  else
    local terminal = register.of(bufnr)
    terminal_window.open(bufnr, terminal and terminal.place or ANYWHERE)
  end
  if will_type or not (window or typing_mode.is_reading(bufnr)) then
    typing_mode.begin(bufnr)
  end
end

--- Go to a terminal; show it if it is hidden. The user continues in the mode in which they left it.
---@param bufnr integer
---@param will_type? boolean whether they type in any case
function M.go(bufnr, will_type)
  if vim.fn.mode():find('^[iR]') then
    location.end_insert()
  end
  local origin = location.current()
  location.leave_mode(function()
    if not api.nvim_buf_is_valid(bufnr) then
      return
    end
    watch(bufnr)
    origins[bufnr], is_going = origin, true
    local ok, reason = pcall(enter, bufnr, will_type)
    is_going = false
    if not ok then
      message.show(tostring(reason), 'error')
    end
  end)
end

--- Go to a terminal, or to its pane; show it if it is hidden. Raises an error if tmux refuses.
---@param terminal claude_ide.Terminal
---@param will_type? boolean whether the user types in any case
function M.show(terminal, will_type)
  if terminal.pane then
    pane.focus(terminal.pane, terminal.place.size)
    terminal.is_found = nil
    register.use(terminal)
  else
    M.go(terminal.bufnr, will_type)
  end
end

-- The window that the user came from, or another one in this tab page.
local function way_back(bufnr)
  local origin = origins[bufnr]
  if origin and api.nvim_win_is_valid(origin.win) then
    return origin
  end
  local windows = { vim.fn.win_getid(vim.fn.winnr('#')), unpack(tiling.windows(0)) }
  local win = vim.iter(windows):find(function(candidate)
    return candidate > 0 and api.nvim_win_get_buf(candidate) ~= bufnr
  end)
  local last = api.nvim_list_tabpages()[vim.fn.tabpagenr('#')]
  win = win or last and api.nvim_tabpage_get_win(last)
  return win and { win = win, tabpage = api.nvim_win_get_tabpage(win), terminal = false }
end

-- Terminal mode ends by itself, but later. Insert mode can begin only then.
local function go_back(target)
  local has_insert = target.insert and vim.fn.mode() == 't'
  location.go_back(target)
  if has_insert then
    api.nvim_create_autocmd('TermLeave', {
      group = augroup,
      once = true,
      callback = vim.schedule_wrap(function()
        if api.nvim_get_current_win() == target.win then
          location.go_back(target)
        end
      end),
    })
  end
end

--- Leave the current window, which shows a terminal, for the window that the user came from.
---@param bufnr integer its buffer
function M.leave(bufnr)
  local window, target = api.nvim_get_current_win(), way_back(bufnr)
  if not target then
    -- Nothing else is open.
    return terminal_window.close(window)
  end
  go_back(target)
end

-- A terminal that the user has opened counts, if a client runs in it.
---@return integer?
local function own_terminal()
  return vim.iter(api.nvim_list_bufs()):find(function(bufnr)
    return vim.b[bufnr].claude_ide_terminal
  end)
end

-- The user means the current selection, which would otherwise end with the visit to the terminal.
---@param opts vim.api.keyset.create_user_command.command_args
local function hold_selection(opts)
  local selection = package.loaded['claude_ide.selection']
  if selection then
    selection.hold((opts.range or 0) > 0 and { opts.line1, opts.line2 } or nil)
  end
end

--- Go to Claude's terminal, or back to where the user was before.
---@param opts vim.api.keyset.create_user_command.command_args
function M.toggle(opts)
  if vim.b.claude_ide_terminal then
    return M.leave(api.nvim_get_current_buf())
  end
  local terminal, bufnr = register.usable(), own_terminal()
  if not terminal and not bufnr then
    return message.show('no terminal of this Neovim runs Claude (:Claude opens one)', 'warn')
  end
  hold_selection(opts)
  if not terminal then
    return M.go(bufnr)
  end
  local ok, reason = pcall(M.show, terminal)
  if not ok then
    message.show(reason, 'error')
  end
end

return M
