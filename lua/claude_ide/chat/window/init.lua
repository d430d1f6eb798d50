--- The two windows of a panel: at a side, in two floats, or in their own tab page. Their sizes stay when
--- other windows open and close: Neovim itself would resize their neighbours, even with 'winfixheight'.
local plain = require('claude_ide.messages.plain')
local tiling = require('claude_ide.window.tiling')
local window_close = require('claude_ide.window.close')
local window_looks = require('claude_ide.window.looks')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_chat_window', { clear = true })

---@class claude_ide.ChatSizes
---@field around claude_ide.Arrangement of their tab page
---@field heights table<integer, integer> lines by window, only where fixed
---@field widths table<integer, integer> columns by window, only where fixed
---@field is_disturbed? boolean whether a window has opened or closed since

---@class claude_ide.ChatWindows
---@field transcript integer
---@field prompt integer

local PROMPT_HEIGHT = 6
local SMALLEST_FLOAT = 0.7
-- The least size of the text in floats, if the screen has room for it.
local LEAST_LINES = 12
local LEAST_COLUMNS = 60
local LEAST_WIDTH = 20
local LEAST_HEIGHT = 5

local api = vim.api

local TRANSCRIPT_OPTIONS = {
  -- The line with the cursor shows its source.
  conceallevel = 2,
  concealcursor = '',
  spell = false,
  -- Without it, a paragraph higher than the window would vanish once another line follows.
  smoothscroll = true,
  cursorline = false,
}
local OPTIONS = {
  breakindent = true,
  colorcolumn = '',
  cursorbind = false,
  diff = false,
  foldcolumn = '0',
  foldenable = false,
  linebreak = true,
  list = false,
  number = false,
  relativenumber = false,
  scrollbind = false,
  scrolloff = 0,
  signcolumn = 'no',
  statuscolumn = '',
  winfixbuf = false,
  wrap = true,
}

-- The user's own, without the tildes below the text.
local function fillchars()
  local global = vim.o.fillchars
  return global == '' and 'eob: ' or global .. ',eob: '
end

local function is_beside(options)
  return options.side == 'right' or options.side == 'left'
end

local function set_options(windows, options)
  local is_wide = is_beside(options)
  for _, win in pairs(windows) do
    window_looks.set(win, OPTIONS)
    window_looks.set(win, { winfixwidth = is_wide, fillchars = fillchars() })
    api.nvim_win_call(win, vim.cmd.clearjumps)
  end
  window_looks.set(windows.transcript, TRANSCRIPT_OPTIONS)
  window_looks.set(
    windows.transcript,
    { winfixheight = options.side == 'above' or options.side == 'below' }
  )
  window_looks.set(windows.prompt, { winfixheight = true })
end

-- Let all windows share the loss. Otherwise the neighbour alone would shrink, down to a few columns.
local function share_loss(options)
  local direction = is_beside(options) and 'hor' or 'ver'
  if vim.o.equalalways and (vim.o.eadirection == 'both' or vim.o.eadirection == direction) then
    vim.cmd(direction == 'hor' and 'horizontal wincmd =' or 'vertical wincmd =')
  end
end

local function prompt_height(height)
  return math.max(1, math.min(PROMPT_HEIGHT, math.floor(height / 3)))
end

local function share(size, whole, least)
  local wanted = math.floor(size < 1 and whole * size or size)
  return math.max(1, math.min(math.max(wanted, least), whole - least))
end

local function split_prompt(chat, windows)
  local height = prompt_height(api.nvim_win_get_height(windows.transcript))
  windows.prompt = api.nvim_open_win(chat.prompt, false, {
    split = 'below',
    win = windows.transcript,
    height = height,
  })
end

local function open_side(chat, windows, options)
  local is_wide = is_beside(options)
  windows.transcript = api.nvim_open_win(chat.transcript, false, {
    split = options.side,
    win = -1,
    width = is_wide and share(options.size, vim.o.columns, LEAST_WIDTH) or nil,
    height = not is_wide and share(options.size, vim.o.lines, LEAST_HEIGHT) or nil,
  })
  split_prompt(chat, windows)
end

local function open_tab(chat, windows)
  vim.cmd('tab split')
  windows.transcript = api.nvim_get_current_win()
  -- Inherited from the window that was split.
  window_looks.set(windows.transcript, { winfixbuf = false })
  api.nvim_win_set_buf(windows.transcript, chat.transcript)
  split_prompt(chat, windows)
end

---@return { transcript: vim.api.keyset.win_config, prompt: vim.api.keyset.win_config }
local function floats(options)
  local size = options.size < 1 and math.max(options.size, SMALLEST_FLOAT) or SMALLEST_FLOAT
  -- The command line and the borders need the remaining lines.
  local width = math.max(math.floor(vim.o.columns * size), LEAST_COLUMNS)
  width = math.max(1, math.min(width, vim.o.columns - 2))
  local room = vim.o.lines - vim.o.cmdheight - 4
  local height = math.floor((room + 4) * size) - 4
  height = math.max(2, math.min(math.max(height, LEAST_LINES), room))
  local below = prompt_height(height)
  local above = height - below
  local row = math.max(0, math.floor((room - height) / 2))
  local col = math.max(0, math.floor((vim.o.columns - width - 2) / 2))
  local function config(y, h)
    local place = { relative = 'editor', row = y, col = col, width = width, height = h }
    return vim.tbl_extend('error', place, { border = 'rounded', zindex = 40 })
  end
  return { transcript = config(row, above), prompt = config(row + above + 2, below) }
end

local function open_floats(chat, windows, options)
  local configs = floats(options)
  configs.transcript.title = (' %s '):format(plain.one_line(options.title))
  windows.transcript = api.nvim_open_win(chat.transcript, false, configs.transcript)
  windows.prompt = api.nvim_open_win(chat.prompt, false, configs.prompt)
end

local function close(windows)
  for _, win in pairs(windows) do
    if api.nvim_win_is_valid(win) then
      pcall(window_close.window, win)
    end
  end
end

--- Open the windows of a chat in the current tab page, without entering them, or in a new tab page,
--- which is entered. Raises an error if there is no room.
---@param chat claude_ide.Chat
---@return claude_ide.ChatWindows
function M.open(chat)
  local options, windows = chat.options, {}
  local open = options.side == 'tab' and open_tab
    or options.side == 'float' and open_floats
    or open_side
  local ok = pcall(open, chat, windows, options)
  if not ok then
    -- No room: fall back to a tab page.
    close(windows)
    windows = {}
    local is_open, reason = pcall(open_tab, chat, windows)
    if not is_open then
      close(windows)
      error(reason, 0)
    end
  end
  set_options(windows, options)
  if tiling.has(windows.transcript) then
    share_loss(options)
  end
  return windows --[[@as claude_ide.ChatWindows]]
end

--- Reopen the closed one of the two windows next to the other.
---@param chat claude_ide.Chat
---@param windows claude_ide.ChatWindows of which one is closed
function M.complete(chat, windows)
  if api.nvim_win_is_valid(windows.transcript) then
    split_prompt(chat, windows)
  else
    windows.transcript = api.nvim_open_win(chat.transcript, false, {
      split = 'above',
      win = windows.prompt,
    })
    api.nvim_win_set_height(windows.prompt, prompt_height(vim.o.lines))
  end
  set_options(windows, chat.options)
end

--- Fit floats to the screen; other windows stay as they are.
---@param windows claude_ide.ChatWindows
---@param options claude_ide.ChatOptions
function M.fit(windows, options)
  for name, config in pairs(floats(options)) do
    local win = windows[name]
    if api.nvim_win_is_valid(win) and api.nvim_win_get_config(win).relative ~= '' then
      api.nvim_win_set_config(win, config)
    end
  end
end

--- Whether a window is one of the panel's.
---@param view claude_ide.ChatView
---@param win integer
---@return boolean
function M.has(view, win)
  return vim.list_contains(vim.tbl_values(view.windows), win)
end

--- A window of the current tab page that is not the panel's.
---@param view claude_ide.ChatView
---@return integer? win
function M.other(view)
  return vim.iter(tiling.windows(0)):find(function(win)
    return not M.has(view, win)
  end)
end

local function start_insert()
  local column = api.nvim_win_get_cursor(0)[2]
  vim.cmd(column + 1 >= #api.nvim_get_current_line() and 'startinsert!' or 'startinsert')
end

--- Enter the prompt, in Insert mode.
---@param view claude_ide.ChatView
function M.enter_prompt(view)
  local mode, win = vim.fn.mode(1), view.windows.prompt
  if mode:find('^[vVsS\22\19]') then
    vim.cmd('normal! \27')
  end
  api.nvim_set_current_win(win)
  if mode ~= 't' then
    return start_insert()
  end
  -- Neovim has yet to notice that another window is current, and to leave Terminal mode.
  api.nvim_create_autocmd('TermLeave', {
    group = augroup,
    once = true,
    callback = vim.schedule_wrap(function()
      if api.nvim_get_current_win() == win then
        start_insert()
      end
    end),
  })
end

--- Remove the status line from floats. Some plugins set one in any window that is entered, which would
--- cost the prompt a row.
---@param windows claude_ide.ChatWindows
function M.drop_statusline(windows)
  for _, win in pairs(windows) do
    local is_float = api.nvim_win_is_valid(win) and not tiling.has(win)
    if is_float and vim.wo[win].statusline ~= '' then
      window_looks.set(win, { statusline = '' })
    end
  end
end

--- Take the present sizes as those to keep.
---@param view claude_ide.ChatView in the current tab page
function M.take_sizes(view)
  local sizes = { around = tiling.arrangement(), heights = {}, widths = {} }
  for _, win in pairs(view.windows) do
    if tiling.has(win) then
      sizes.heights[win] = vim.wo[win].winfixheight and api.nvim_win_get_height(win) or nil
      sizes.widths[win] = vim.wo[win].winfixwidth and api.nvim_win_get_width(win) or nil
    end
  end
  view.sizes = sizes
end

-- Whether no window of a layout can grow higher.
---@param layout vim.fn.winlayout.ret
local function is_fixed(layout)
  local kind, inside = layout[1], layout[2]
  if kind == 'leaf' then
    return vim.wo[inside].winfixheight
  elseif kind == 'row' then
    return vim.iter(inside):any(is_fixed)
  end
  return vim.iter(inside):all(is_fixed)
end

-- If all heights are fixed, Neovim gives the rows of a window that moves to an edge to the command line.
-- Then give them back and no longer fix the heights.
local function unfix(windows, sizes)
  local cmdheight = sizes.around.cmdheight
  if vim.o.cmdheight <= cmdheight or not is_fixed(vim.fn.winlayout()) then
    return false
  end
  for _, win in pairs(windows) do
    vim.wo[win].winfixheight = false
  end
  vim.o.cmdheight = cmdheight
  return true
end

--- Note that a window has opened or is closing. `WinResized` follows later, when a window that has opened
--- may be closed again and the arrangement looks unchanged.
---@param view claude_ide.ChatView
---@param win integer
---@return boolean is_disturbed whether it is in the panel's tab page
function M.mark_disturbed(view, win)
  local is_neighbour = tiling.has(win) and api.nvim_win_get_tabpage(win) == view.tabpage
  if is_neighbour and view.sizes then
    view.sizes.is_disturbed = true
  end
  return is_neighbour
end

-- The rows that an arrangement has for windows.
---@param around claude_ide.Arrangement
local function rows(around)
  local lines = around.laststatus == 0 and 0 or 1
  return around.lines - around.cmdheight - lines - (around.has_tabline and 1 or 0)
end

-- If the screen has changed, the sizes at a side remain the same share of it. The neighbours alone would
-- lose the columns otherwise, down to one. A height of the prompt that the user has chosen remains.
local function refit(view)
  local options, sizes, is_wide = view.chat.options, view.sizes, is_beside(view.chat.options)
  local what, least = is_wide and 'columns' or 'lines', is_wide and LEAST_WIDTH or LEAST_HEIGHT
  local before, now = sizes.around[what], vim.o[what]
  local fixed = is_wide and sizes.widths or sizes.heights
  for _, win in pairs(view.windows) do
    local size = (is_wide or win == view.windows.transcript) and fixed[win]
    if size and before ~= now then
      -- The added half rounds to the nearest integer, so that the size returns with the screen.
      local is_given = size == share(options.size, before, least)
      local wanted = is_given and options.size or size * now / before + 0.5
      fixed[win] = share(wanted, now, least)
    end
  end
  local prompt, heights = view.windows.prompt, sizes.heights
  if is_wide and heights[prompt] == prompt_height(rows(sizes.around)) then
    heights[prompt] = prompt_height(rows(tiling.arrangement()))
  end
end

--- Restore the sizes if other windows have opened or closed. Otherwise the user has changed them, and they
--- are kept from now on.
---@param view claude_ide.ChatView in the current tab page
function M.keep_sizes(view)
  local windows, sizes = view.windows, view.sizes
  if not (api.nvim_win_is_valid(windows.transcript) and api.nvim_win_is_valid(windows.prompt)) then
    return
  elseif
    not sizes or not sizes.is_disturbed and vim.deep_equal(sizes.around, tiling.arrangement())
  then
    return M.take_sizes(view)
  end
  refit(view)
  if unfix(windows, sizes) then
    return M.take_sizes(view)
  end
  sizes.around, sizes.is_disturbed = tiling.arrangement(), nil
  -- A window that the user has split off shares the columns of one of the two.
  local transcript, prompt = windows.transcript, windows.prompt
  local width = math.max(sizes.widths[transcript] or 0, sizes.widths[prompt] or 0)
  local rest = api.nvim_win_get_width(transcript) - api.nvim_win_get_width(prompt)
  if width > 0 then
    tiling.resize(rest < 0 and prompt or transcript, width)
    tiling.resize(rest < 0 and transcript or prompt, rest == 0 and width or math.floor(width / 2))
  end
  -- The transcript is resized again, because the prompt takes its rows from it.
  for _, win in ipairs({ transcript, prompt, transcript }) do
    tiling.resize(win, nil, sizes.heights[win])
  end
end

return M
