--- The keys that lead out of the CLI's terminal, and the mode in which the user comes back: someone who
--- scrolls there in Normal mode comes back in Normal mode.
local autocommands = require('claude_ide.messages.autocommands')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_terminal_typing_mode')

local ENDS_WITHIN_MS = 300

-- By buffer: whether its window was left in Terminal mode; nil if it was closed, or never left.
local typing = {} ---@type table<integer, boolean?>
-- By buffer: whether the user is there because the window that they were in has closed.
local has_landed = {} ---@type table<integer, true?>
local left = 0 -- the window that the user has left last

--- Let the user type in the current window, which shows a terminal.
---@param bufnr integer its buffer
function M.begin(bufnr)
  vim.cmd.startinsert()
  if api.nvim_get_mode().mode ~= 't' then
    return
  end
  -- The Terminal mode of another terminal, which the user has left, may end only now, and this with it.
  local function begin_again()
    if api.nvim_get_current_buf() == bufnr then
      vim.cmd.startinsert()
    end
  end
  local ending = on('TermLeave', nil, vim.schedule_wrap(begin_again))
  vim.defer_fn(function()
    pcall(api.nvim_del_autocmd, ending)
  end, ENDS_WITHIN_MS)
end

-- The command that entered the window may go on to another buffer, which must not get the mode. A window in
-- which only `nvim_win_call` opens a buffer is not entered.
local function expect_terminal(bufnr)
  local win = api.nvim_get_current_win()
  local watching = on({ 'WinEnter', 'BufEnter' }, nil, function(event)
    local current = api.nvim_get_current_win()
    win = event.event == 'WinEnter' and current or win
    if current == win and api.nvim_get_current_buf() ~= bufnr then
      vim.cmd.stopinsert()
      typing[bufnr] = true
    end
  end)
  vim.schedule(function()
    pcall(api.nvim_del_autocmd, watching)
  end)
end

--- Let the user go on typing in the current window, if they left it so. At once: the next key may have been
--- typed already.
---@param bufnr integer its buffer
function M.resume(bufnr)
  if typing[bufnr] and api.nvim_get_mode().mode == 'nt' then
    typing[bufnr] = nil
    vim.cmd.startinsert()
    expect_terminal(bufnr)
  end
end

--- Whether the user was reading in Normal mode when they left a terminal. False once its window is closed.
---@type fun(bufnr: integer): boolean
function M.is_reading(bufnr)
  return typing[bufnr] == false
end

-- Let the windows of a terminal follow what it prints: Neovim scrolls those whose cursor is on the last line,
-- and a program that shows a dialog has its cursor above.
local function follow(bufnr)
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    if win ~= api.nvim_get_current_win() then
      api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(bufnr), 0 })
    end
  end
end

-- Remember the mode of a terminal from now on, also if the CLI has opened a file and moved the user there.
---@param bufnr integer
local function watch(bufnr)
  on('WinLeave', bufnr, function()
    local is_typing = api.nvim_get_mode().mode == 't'
    if is_typing or not has_landed[bufnr] then
      typing[bufnr] = is_typing
    end
    if is_typing then
      vim.schedule(function()
        follow(bufnr)
      end)
    end
  end)
  on('WinClosed', bufnr, function(event)
    if tonumber(event.match) == api.nvim_get_current_win() then
      typing[bufnr] = nil
    end
  end)
  on('BufWipeout', bufnr, function()
    typing[bufnr], has_landed[bufnr] = nil, nil
  end)
end

-- Let the user go on typing whenever they enter the window themselves, not when the window that they were in
-- has closed: the keys that they type then are not for the terminal.
---@param bufnr integer
local function resume_on_entry(bufnr)
  autocommands.group('claude_ide_terminal_left')('WinLeave', nil, function()
    left = api.nvim_get_current_win()
  end)
  on('WinEnter', bufnr, function()
    has_landed[bufnr] = not api.nvim_win_is_valid(left) or nil
    if not has_landed[bufnr] then
      M.resume(bufnr)
    end
  end)
end

local WINDOWS = {
  h = 'Go to the window on the left',
  j = 'Go to the window below',
  k = 'Go to the window above',
  l = 'Go to the window on the right',
  p = 'Go to the previous window',
}

-- What a mapping does that goes to the window in a direction, which stands for the `?`.
local WAYS = { '^<c%-w>?$', '^<c%-w><c%-?>$', '^[:<].*wincmd ?<cr>$' }
local NAVIGATORS = { h = 'left', j = 'down', k = 'up', l = 'right' } -- of vim-tmux-navigator

-- Whether the user's key CTRL-`direction` goes to the window in this direction, and is theirs in no terminal.
---@type fun(direction: string): boolean
local function is_mapped_so(direction)
  local key = ('<C-%s>'):format(direction)
  local rhs = vim.fn.maparg(key, 'n'):lower()
  local navigates = rhs:find('tmuxnavigate' .. NAVIGATORS[direction], 1, true) ~= nil
  local goes = vim.iter(WAYS):any(function(way)
    return rhs:find((way:gsub('?', direction))) ~= nil
  end)
  return (goes or navigates) and vim.fn.maparg(key, 't') == ''
end

-- Define the keys that lead out, as CTRL-W and CTRL-Z do from any other window, and CTRL-H, J, K and L where
-- the user maps them so. The CLI gets all others, and CTRL-W if it is pressed twice.
---@param bufnr integer
local function define_keys(bufnr)
  for direction, description in pairs(WINDOWS) do
    local options = { buffer = bufnr, desc = description }
    local function leave()
      local window = api.nvim_get_current_win()
      vim.cmd.wincmd(direction)
      -- Without another window in this direction, the terminal keeps its mode.
      typing[bufnr] = api.nvim_get_current_win() ~= window or nil
    end
    vim.keymap.set('t', '<C-w>' .. direction, leave, options)
    if direction ~= 'p' and is_mapped_so(direction) then
      local key = ('<C-%s>'):format(direction)
      -- Without a window in this direction, the CLI gets the key: CTRL-J is a line feed there.
      vim.keymap.set('t', key, function()
        if vim.fn.winnr(direction) == vim.fn.winnr() then
          return key
        end
        vim.schedule(leave)
        return ''
      end, { expr = true, buffer = bufnr, desc = description })
    end
  end
  vim.keymap.set('t', '<C-w><C-w>', '<C-w>', { buffer = bufnr, desc = 'Send CTRL-W' })
  -- Suspended, the CLI could not be continued: it has no shell.
  vim.keymap.set('t', '<C-z>', '<Cmd>suspend<CR>', { buffer = bufnr, desc = 'Suspend Neovim' })
end

--- Follow the mode of a terminal, and define the keys that lead out of it.
---@param bufnr integer
---@param has_keys boolean whether it has such keys
function M.attach(bufnr, has_keys)
  watch(bufnr)
  if has_keys then
    define_keys(bufnr)
    resume_on_entry(bufnr)
  end
end

return M
