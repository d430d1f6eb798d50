--- The two windows of a panel: at a side, in two floats, or in their own tab page. Their sizes stay when
--- other windows open and close: Neovim itself would resize their neighbours, even with 'winfixheight'.
local autocommands = require('claude_ide.messages.autocommands')
local plain = require('claude_ide.messages.plain')
local tiling = require('claude_ide.window.tiling')
local window_close = require('claude_ide.window.close')
local window_looks = require('claude_ide.window.looks')

local M = {}

local on = autocommands.group('claude_ide_chat_window')

---@class claude_ide.ChatSizes
---@field around claude_ide.Arrangement of their tab page, when they were right
---@field size number as the option `chat.size`
---@field prompt? integer lines that the user has given to the prompt
---@field is_disturbed? boolean whether a window has opened or closed since

---@class claude_ide.ChatWindows
---@field transcript integer
---@field prompt integer

local PROMPT_HEIGHT = 6
local SMALLEST_FLOAT = 0.7
-- The least size of the text in floats, if the screen has room for it.
local LEAST_LINES = 12
local LEAST_COLUMNS = 60
-- The least size of a panel at a side.
local LEAST = { columns = 20, lines = 5 }

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

local function is_beside(options)
  return options.side == 'right' or options.side == 'left'
end

local function set_options(windows, options)
  local fillchars = vim.o.fillchars
  for name, win in pairs(windows) do
    window_looks.set(win, OPTIONS)
    window_looks.set(win, name == 'transcript' and TRANSCRIPT_OPTIONS or {})
    window_looks.set(win, {
      winfixwidth = is_beside(options),
      winfixheight = name == 'prompt',
      -- The user's own, without the tildes below the text.
      fillchars = fillchars == '' and 'eob: ' or fillchars .. ',eob: ',
    })
    api.nvim_win_call(win, vim.cmd.clearjumps)
  end
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
  local wanted = math.floor(size < 1 and whole * size + 0.5 or size)
  return math.max(1, math.min(math.max(wanted, least), whole - least))
end

local function split_prompt(chat, windows)
  windows.prompt = api.nvim_open_win(chat.prompt, false, {
    split = 'below',
    win = windows.transcript,
    height = prompt_height(api.nvim_win_get_height(windows.transcript)),
  })
end

local function open_side(chat, windows, options)
  local is_wide = is_beside(options)
  windows.transcript = api.nvim_open_win(chat.transcript, false, {
    split = options.side,
    win = -1,
    width = is_wide and share(options.size, vim.o.columns, LEAST.columns) or nil,
    height = not is_wide and share(options.size, vim.o.lines, LEAST.lines) or nil,
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

--- Open the windows of a chat in the current tab page, without entering them, or in a new tab page,
--- which is entered: also if there is no room elsewhere. Raises an error if there is none at all.
---@type fun(chat: claude_ide.Chat): claude_ide.ChatWindows
function M.open(chat)
  local options = chat.options
  local open = options.side == 'float' and open_floats or options.side ~= 'tab' and open_side
  for _, attempt in ipairs(open and { open, open_tab } or { open_tab }) do
    local windows = {}
    local ok, reason = pcall(attempt, chat, windows, options)
    if ok then
      set_options(windows, options)
      if tiling.has(windows.transcript) then
        share_loss(options)
      end
      return windows --[[@as claude_ide.ChatWindows]]
    end
    for _, win in pairs(windows) do
      pcall(window_close.window, win)
    end
    if attempt == open_tab then
      error(reason, 0)
    end
  end
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
---@type fun(windows: claude_ide.ChatWindows, options: claude_ide.ChatOptions)
function M.fit(windows, options)
  for name, config in pairs(floats(options)) do
    local win = windows[name]
    if api.nvim_win_is_valid(win) and api.nvim_win_get_config(win).relative ~= '' then
      api.nvim_win_set_config(win, config)
    end
  end
end

--- Whether a window is one of the panel's.
---@type fun(view: claude_ide.ChatView, win: integer): boolean
function M.has(view, win)
  return win == view.windows.transcript or win == view.windows.prompt
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
  local function start_here()
    if api.nvim_get_current_win() == win then
      start_insert()
    end
  end
  on('TermLeave', nil, vim.schedule_wrap(start_here), { once = true })
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

-- The rows that the screen has for windows.
local function room()
  local around = tiling.arrangement()
  local lines = around.laststatus == 0 and 0 or 1
  return around.lines - around.cmdheight - lines - (around.has_tabline and 1 or 0)
end

-- The size of the panel, which is one of the screen's `columns` or `lines`; nothing in its own tab page.
local function measure(view)
  local transcript, prompt, side =
    view.windows.transcript, view.windows.prompt, view.chat.options.side
  if is_beside(view.chat.options) then
    -- A window that the user has split off shares the columns of one of the two.
    local width = math.max(api.nvim_win_get_width(transcript), api.nvim_win_get_width(prompt))
    return 'columns', width
  elseif side == 'above' or side == 'below' then
    return 'lines', api.nvim_win_get_height(transcript)
  end
end

--- Take the present sizes as those to keep: as shares of the screen, so that they follow its size.
---@param view claude_ide.ChatView in the current tab page
function M.take_sizes(view)
  local size = view.sizes and view.sizes.size or view.chat.options.size
  local what, present = measure(view)
  if what and present ~= share(size, vim.o[what], LEAST[what]) then
    size = present / vim.o[what]
  end
  local height = api.nvim_win_get_height(view.windows.prompt)
  local prompt = height ~= prompt_height(room()) and height or nil
  view.sizes = { around = tiling.arrangement(), size = size, prompt = prompt }
end

local function set_width(transcript, prompt, width)
  local rest = api.nvim_win_get_width(transcript) - api.nvim_win_get_width(prompt)
  tiling.resize(rest < 0 and prompt or transcript, width)
  tiling.resize(rest < 0 and transcript or prompt, rest == 0 and width or math.floor(width / 2))
end

-- The rows that a window loses that is as high as the screen would go to the command line.
local function set_height(win, height)
  if api.nvim_win_get_height(win) < room() then
    tiling.resize(win, nil, height)
  end
end

--- Restore the sizes if other windows have opened or closed. Otherwise the user has changed them, and they
--- are kept from now on.
---@param view claude_ide.ChatView in the current tab page
function M.keep_sizes(view)
  local transcript, prompt, sizes = view.windows.transcript, view.windows.prompt, view.sizes
  if not (tiling.has(transcript) and tiling.has(prompt)) then
    return
  end
  local around = tiling.arrangement()
  if not sizes or not sizes.is_disturbed and vim.deep_equal(sizes.around, around) then
    return M.take_sizes(view)
  end
  local what = measure(view)
  local size = what and share(sizes.size, vim.o[what], LEAST[what])
  sizes.around, sizes.is_disturbed = around, nil
  if what == 'columns' then
    set_width(transcript, prompt, size)
  end
  set_height(prompt, sizes.prompt or prompt_height(room()))
  -- Last, because the prompt takes its rows from it.
  set_height(transcript, what == 'lines' and size or nil)
end

return M
