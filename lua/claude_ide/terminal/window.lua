--- The window of a terminal: opened at a side, as a float, in a tab page or by a function of the user's,
--- found, and closed.
local autocommands = require('claude_ide.messages.autocommands')
local float = require('claude_ide.window.float')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local protected_windows = require('claude_ide.file.protected_windows')
local register = require('claude_ide.terminal.register')
local tiling = require('claude_ide.window.tiling')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_terminal_window')

local SPLITS = {
  right = 'botright vsplit',
  left = 'topleft vsplit',
  above = 'topleft split',
  below = 'botright split',
}

-- The least size of a float, if the screen has room for it.
local SMALLEST_SHARE, LEAST_COLUMNS, LEAST_LINES = 0.8, 80, 24

---@class claude_ide.TerminalPlace
---@field side 'right'|'left'|'above'|'below'|'float'|'tab'|'tmux'|claude_ide.TerminalFunction
---@field size number below 1 a share of the screen, else columns or lines

--- The window that shows a buffer in this tab page.
---@type fun(bufnr: integer): integer?
function M.of(bufnr)
  local window = vim.fn.bufwinid(bufnr)
  return window > 0 and window or nil
end

--- The window of this tab page that shows a CLI, first of all the one that commands mean.
---@return integer?
function M.of_any()
  for _, terminal in ipairs(vim.list_extend({ register.current() }, register.all())) do
    local window = terminal.bufnr and M.of(terminal.bufnr)
    if window then
      return window
    end
  end
end

---@type fun(bufnr: integer): boolean
function M.is_shown(bufnr)
  return #vim.fn.win_findbuf(bufnr) > 0
end

-- Neovim takes the columns or lines that a smaller screen lacks from the last window, down to one. Keep the
-- share of the screen instead, which the user may have changed.
---@type fun(window: integer, what: 'columns'|'lines')
local function keep_share(window, what)
  local kind = what == 'columns' and 'width' or 'height'
  local size_of, resize = api['nvim_win_get_' .. kind], api['nvim_win_set_' .. kind]
  local whole, size = vim.o[what], size_of(window)
  local share = size / whole
  on({ 'WinResized', 'VimResized', 'TabEnter' }, nil, function()
    if not api.nvim_win_is_valid(window) then
      return true
    elseif api.nvim_win_get_tabpage(window) ~= api.nvim_get_current_tabpage() then
      return
    elseif whole ~= vim.o[what] then
      whole, size = vim.o[what], math.floor(share * vim.o[what] + 0.5)
      resize(window, size)
    elseif size ~= size_of(window) then
      size = size_of(window)
      share = size / whole
    end
  end)
end

---@type fun(bufnr: integer, place: claude_ide.TerminalPlace)
local function open_split(bufnr, place)
  local side = SPLITS[place.side] and place.side or 'right'
  local is_wide = side == 'right' or side == 'left'
  local whole = is_wide and vim.o.columns or vim.o.lines
  local size = place.size < 1 and math.floor(whole * place.size) or place.size
  vim.cmd(SPLITS[side])
  local window = api.nvim_get_current_win()
  api[is_wide and 'nvim_win_set_width' or 'nvim_win_set_height'](window, math.floor(size))
  api.nvim_win_set_buf(window, bufnr)
  keep_share(window, is_wide and 'columns' or 'lines')
end

local function geometry(size)
  local share = size < 1 and math.max(size, SMALLEST_SHARE) or SMALLEST_SHARE
  local columns = size < 1 and math.floor(vim.o.columns * share) or math.floor(size)
  local lines = math.floor(vim.o.lines * share)
  return float.centred(math.max(columns, LEAST_COLUMNS), math.max(lines, LEAST_LINES))
end

-- A float would cover what the user has gone to. Another float may be a dialogue that returns there.
local function close_when_left(window)
  local function close()
    local current = api.nvim_get_current_win()
    local is_left = api.nvim_win_is_valid(window)
      and tiling.has(current)
      and api.nvim_win_get_tabpage(window) == api.nvim_get_current_tabpage()
    if is_left then
      window_close.window(window)
    end
  end
  on('WinEnter', nil, function()
    if not api.nvim_win_is_valid(window) then
      return true
    end
    vim.schedule(close)
  end)
end

local function title_of(bufnr)
  local name = vim.fs.basename(vim.fn.bufname(bufnr))
  return (' %s '):format(name == '' and 'Claude' or name)
end

---@type fun(bufnr: integer, place: claude_ide.TerminalPlace)
local function open_float(bufnr, place)
  local config = geometry(place.size)
  local looks = { title = title_of(bufnr), title_pos = 'center', zindex = 40 }
  local window = float.open(bufnr, vim.tbl_extend('error', config, looks))
  float.follow_screen(window, function()
    api.nvim_win_set_config(window, geometry(place.size))
  end)
  close_when_left(window)
end

---@param bufnr integer
local function open_tab(bufnr)
  local _, window = tiling.new_tabpage()
  vim.bo[api.nvim_win_get_buf(window)].bufhidden = 'wipe'
  api.nvim_win_set_buf(window, bufnr)
end

--- Opens a terminal and returns its buffer; nil if the CLI runs outside Neovim.
---@alias claude_ide.TerminalFunction fun(terminal: claude_ide.CustomTerminal): integer?

---@class claude_ide.CustomTerminal
---@field cmd? string[] the command to run; nil to show a terminal again
---@field cwd? string the folder to run it in
---@field env? table<string,string> variables for its environment; they contain secrets
---@field bufnr? integer the buffer to show again

--- Call the user's function that opens terminals (the option `terminal.side`). An error is shown, and so is a
--- result that is no buffer.
---@param open claude_ide.TerminalFunction
---@param terminal claude_ide.CustomTerminal
---@return integer? bufnr of the terminal; nil if it is not in this Neovim
function M.call_custom(open, terminal)
  local ok, result = pcall(open, terminal)
  local is_buffer = ok and type(result) == 'number' and api.nvim_buf_is_valid(result)
  if not ok then
    message.show(('terminal.side: %s'):format(result), 'error')
  elseif terminal.cmd and result ~= nil and not is_buffer then
    local shown = vim.inspect(result, { newline = ' ', indent = '' })
    message.show(('terminal.side returned %s, not a buffer; nil: none here'):format(shown), 'error')
  end
  return is_buffer and result or nil
end

local OPENERS = { float = open_float, tab = open_tab }

local kept = {} ---@type table<integer, integer> by window of ours: the terminal's buffer, which stays in it

---@type fun(win: integer): integer?
local function buffer_of(win)
  local shown = kept[win] and api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win)
  kept[win] = shown and (register.of(shown) and shown or kept[win]) or nil
  return kept[win] and register.of(kept[win]) and kept[win] or nil
end

-- The current window shows a terminal from now on.
local function keep(bufnr)
  local window = api.nvim_get_current_win()
  local options = vim.wo[window][0]
  options.number, options.relativenumber, options.signcolumn = false, false, 'no'
  options.foldcolumn, options.spell, options.list = '0', false, false
  kept[window] = bufnr
  protected_windows.protect({ name = 'the terminal', buffer_of = buffer_of })
end

--- Show a buffer in a new window, or in one that exists, and go there.
---@type fun(bufnr: integer, place: claude_ide.TerminalPlace, window?: integer)
function M.open(bufnr, place, window)
  if window then
    api.nvim_set_current_win(window)
    kept[window] = bufnr
    api.nvim_win_set_buf(window, bufnr)
    M.entitle(bufnr)
    return keep(bufnr)
  elseif type(place.side) == 'function' then
    M.call_custom(place.side, { bufnr = bufnr })
    local shown = M.of(bufnr)
    if shown then
      return api.nvim_set_current_win(shown)
    end
  end
  local open = OPENERS[place.side] or open_split
  open(bufnr, place)
  keep(bufnr)
end

--- Give the float that shows a buffer the name of the buffer as its title.
---@param bufnr integer
function M.entitle(bufnr)
  local window = M.of(bufnr)
  if window and not tiling.has(window) then
    api.nvim_win_set_config(window, { title = title_of(bufnr) })
  end
end

--- Close a window, in which the user may be about to type.
---@param window integer
function M.close(window)
  location.cancel_insert()
  kept[window] = nil
  window_close.window(window)
end

return M
