--- Remembers whether the user was typing in a terminal when they left it. Someone who scrolls there in
--- Normal mode comes back in Normal mode.
local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_terminal_typing_mode', { clear = true })

local ENDS_WITHIN = 300 -- milliseconds

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
  local ending = api.nvim_create_autocmd('TermLeave', {
    group = augroup,
    callback = vim.schedule_wrap(function()
      if api.nvim_get_current_buf() == bufnr then
        vim.cmd.startinsert()
      end
    end),
  })
  vim.defer_fn(function()
    pcall(api.nvim_del_autocmd, ending)
  end, ENDS_WITHIN)
end

--- Record the mode in which the user leaves a terminal.
---@param bufnr integer
---@param is_typing boolean
function M.keep(bufnr, is_typing)
  typing[bufnr] = is_typing or nil
end

-- The command that entered the window may go on to another buffer, which must not get the mode. A window in
-- which only `nvim_win_call` opens a buffer is not entered.
local function expect_terminal(bufnr)
  local win = api.nvim_get_current_win()
  local watching = api.nvim_create_autocmd({ 'WinEnter', 'BufEnter' }, {
    group = augroup,
    callback = function(event)
      local current = api.nvim_get_current_win()
      win = event.event == 'WinEnter' and current or win
      if current == win and api.nvim_get_current_buf() ~= bufnr then
        vim.cmd.stopinsert()
        typing[bufnr] = true
      end
    end,
  })
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

--- Let the user go on typing whenever they enter the window themselves, not when the window that they were
--- in has closed: the keys that they type then are not for the terminal.
---@param bufnr integer
function M.resume_on_entry(bufnr)
  api.nvim_create_autocmd('WinLeave', {
    group = api.nvim_create_augroup('claude_ide_terminal_left', { clear = true }),
    callback = function()
      left = api.nvim_get_current_win()
    end,
  })
  api.nvim_create_autocmd('WinEnter', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      has_landed[bufnr] = not api.nvim_win_is_valid(left) or nil
      if not has_landed[bufnr] then
        M.resume(bufnr)
      end
    end,
  })
end

--- Whether the user was reading in Normal mode when they left a terminal. Who has closed its window reads no
--- more.
---@param bufnr integer
---@return boolean
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

--- Remember the mode of a terminal from now on, also if the CLI has opened a file and moved the user there.
---@param bufnr integer
function M.watch(bufnr)
  api.nvim_create_autocmd('WinLeave', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      local is_typing = api.nvim_get_mode().mode == 't'
      if is_typing or not has_landed[bufnr] then
        typing[bufnr] = is_typing
      end
      if is_typing then
        vim.schedule(function()
          follow(bufnr)
        end)
      end
    end,
  })
  api.nvim_create_autocmd('WinClosed', {
    group = augroup,
    buffer = bufnr,
    callback = function(event)
      if tonumber(event.match) == api.nvim_get_current_win() then
        typing[bufnr] = nil
      end
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      typing[bufnr], has_landed[bufnr] = nil, nil
    end,
  })
end

return M
