--- `:ClaudeFocus`: into the terminal in which Claude runs, and back to where the user was.
local location = require('claude_ide.window.location')
local message = require('claude_ide.say.message')
local register = require('claude_ide.terminal.register')
local terminal_window = require('claude_ide.terminal.window')
local tiling = require('claude_ide.window.tiling')
local typing_mode = require('claude_ide.terminal.typing_mode')

local M = {}

local api = vim.api

local origins = {} ---@type table<integer, claude_ide.Location> by buffer: where the user came from
local is_going = false

-- If the user enters the terminal in another way, they come from the previous window.
local function watch(bufnr)
  if origins[bufnr] then
    return
  end
  api.nvim_create_autocmd('WinEnter', {
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
    terminal_window.set_options()
  end
  if will_type or not window then
    vim.cmd.startinsert()
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
  return win and { win = win, tabpage = api.nvim_get_current_tabpage(), terminal = false }
end

-- Terminal mode ends by itself, but later. Insert mode can begin only then.
local function go_back(target)
  local has_insert = target.insert and vim.fn.mode() == 't'
  location.go_back(target)
  if has_insert then
    api.nvim_create_autocmd('TermLeave', {
      once = true,
      callback = vim.schedule_wrap(function()
        if api.nvim_get_current_win() == target.win then
          location.go_back(target)
        end
      end),
    })
  end
end

---@param bufnr integer
local function leave(bufnr)
  local target = way_back(bufnr)
  if target then
    go_back(target)
  else
    -- Nothing else is open.
    terminal_window.close(api.nvim_get_current_win())
  end
end

-- A terminal that the user has opened counts, if a client runs in it.
local function find()
  local current = register.current()
  return current and current.bufnr
    or vim.iter(api.nvim_list_bufs()):find(function(bufnr)
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
  local bufnr = find()
  if not bufnr then
    message.show('no terminal of this Neovim runs Claude (:Claude opens one)', 'warn')
  elseif vim.b.claude_ide_terminal then
    leave(api.nvim_get_current_buf())
  else
    hold_selection(opts)
    M.go(bufnr)
  end
end

return M
