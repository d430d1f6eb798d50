--- Opens and closes files in windows, without losing changes or interrupting the user; shows and selects
--- passages of them.
local buffers = require('claude_ide.file.buffers')
local file = require('claude_ide.file.path')
local file_load = require('claude_ide.file.load')
local moment = require('claude_ide.timing.moment')
local quiet = require('claude_ide.messages.quiet')
local reason = require('claude_ide.messages.reason')
local recent = require('claude_ide.window.recent')
local tiling = require('claude_ide.window.tiling')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

local AWAY = 'The user is typing elsewhere; the file was opened without focus.'

---@class claude_ide.OpenFile
---@field path string
---@field make_frontmost? boolean whether the file gets the focus; true by default
---@field is_unseen? boolean whether it is only loaded and listed, also without the focus
---@field passage? claude_ide.Passage what to select
---@field line? integer 1-based; used only without a passage
---@field end_line? integer select the lines from `line` to this one

---@class claude_ide.OpenedFile
---@field path string
---@field languageId string
---@field lineCount integer
---@field wasOpen boolean
---@field isShown boolean whether a window of the current tabpage shows it
---@field note? string more for the model to know, in sentences

---@class claude_ide.TextPosition
---@field row integer 0-based
---@field col integer bytes

---@class claude_ide.Passage
---@field first claude_ide.TextPosition
---@field last claude_ide.TextPosition exclusive
---@field is_point? boolean the passage is a position, with nothing to select

-- The choice of a window: one that holds files, and whose buffer stays as it is.

local function is_in_diff(win)
  return vim.wo[win].diff
end

local function holds_files(win)
  return tiling.has(win)
    and vim.bo[api.nvim_win_get_buf(win)].buftype == ''
    and not vim.wo[win].previewwindow
    and not is_in_diff(win)
end

-- Whether the window may show another buffer, and its present one then keeps its state.
local function is_suitable(win)
  local bufnr = api.nvim_win_get_buf(win)
  local bufhidden, is_modified = vim.bo[bufnr].bufhidden, vim.bo[bufnr].modified
  return holds_files(win)
    and not vim.wo[win].winfixbuf
    and (
      #vim.fn.win_findbuf(bufnr) > 1
      or bufhidden == 'hide'
      or (bufhidden == '' and (vim.o.hidden or not is_modified))
    )
end

local function shows(bufnr)
  return function(win)
    return api.nvim_win_get_buf(win) == bufnr and holds_files(win)
  end
end

--- The first wanted window of these tabpages, of which each looks at the most recently used one first.
---@param tabpages integer[]
---@param is_wanted fun(win: integer): boolean
---@return integer? win
function M.find(tabpages, is_wanted)
  for _, tabpage in ipairs(tabpages) do
    local wins, order = tiling.windows(tabpage), { api.nvim_tabpage_get_win(tabpage) }
    for _, bufnr in ipairs(recent.sort(vim.tbl_map(api.nvim_win_get_buf, wins))) do
      vim.list_extend(order, vim.fn.win_findbuf(bufnr))
    end
    local win = vim.iter(order):find(function(each)
      return vim.list_contains(wins, each) and is_wanted(each)
    end)
    if win then
      return win
    end
  end
end

-- Split above the largest window, or open a new tabpage if there is no room.
local function new_window(is_tabpage)
  local blank = api.nvim_create_buf(false, true)
  vim.bo[blank].bufhidden = 'wipe'
  local function area(win)
    return api.nvim_win_get_width(win) * api.nvim_win_get_height(win)
  end
  local wins = tiling.windows(0)
  table.sort(wins, function(a, b)
    return area(a) > area(b)
  end)
  local ok, win
  if not is_tabpage then
    ok, win = pcall(api.nvim_open_win, blank, false, { split = 'above', win = wins[1] })
  end
  if not ok then
    vim.cmd(('silent tab sbuffer %d'):format(blank))
    return api.nvim_get_current_win()
  end
  return win
end

-- Whether the focus may move to another window: the user is not typing, nor in the middle of a command.
---@return boolean
local function is_user_free()
  return vim.fn.mode(1):find('^n?[ntvV\22]$') ~= nil
end

--- The window that is to show a buffer and get the focus: one that already shows it if there is one.
---@param bufnr integer
---@return integer win in any tabpage
function M.to_enter(bufnr)
  local all, here = api.nvim_list_tabpages(), api.nvim_get_current_tabpage()
  -- The current one, the previous one, the others.
  local order = vim.list_extend({ here, all[vim.fn.tabpagenr('#')] }, all)
  local win = M.find(order, shows(bufnr)) or M.find({ here }, is_suitable)
  if win then
    return win
  elseif not vim.iter(tiling.windows(here)):any(is_in_diff) then
    return new_window(false)
  end
  -- A split in this tabpage would resize the diff.
  return M.find(order, is_suitable) or new_window(true)
end

--- A window that can show a buffer while the user keeps working in another one.
---@param bufnr integer
---@return integer? win in the current tabpage
function M.to_show(bufnr)
  local here = api.nvim_get_current_win()
  return M.find({ 0 }, shows(bufnr))
    or M.find({ 0 }, function(win)
      return win ~= here and is_suitable(win)
    end)
end

-- Passages.

local function line_at(bufnr, row)
  return api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
end

-- A position, limited to the text of a buffer.
---@return claude_ide.TextPosition
local function at(bufnr, row, col)
  row = math.max(math.min(row, api.nvim_buf_line_count(bufnr) - 1), 0)
  return { row = row, col = math.min(col, #line_at(bufnr, row)) }
end

--- The lines from `line` to `end_line`, 1-based and inclusive, limited to those of the buffer.
---@param bufnr integer
---@param line integer
---@param end_line? integer without it, the passage is the start of `line`
---@return claude_ide.Passage
function M.lines(bufnr, line, end_line)
  local first = at(bufnr, line - 1, 0)
  if not end_line then
    return { first = first, last = first, is_point = true }
  end
  return { first = first, last = at(bufnr, math.max(end_line - 1, first.row), math.huge) }
end

--- Move a window's cursor to the start of a passage, center that line, and open the folds around it.
---@type fun(win: integer, passage: claude_ide.Passage)
function M.show(win, passage)
  api.nvim_win_call(win, function()
    local first, last = passage.first, passage.last
    api.nvim_win_set_cursor(win, { first.row + 1, first.col })
    vim.cmd(('silent! %d,%dfoldopen!'):format(first.row + 1, last.row + 1))
    vim.cmd('normal! zz')
  end)
end

-- The cursor position at which a Visual area ends before `last`.
local function end_of_area(last)
  if vim.o.selection == 'exclusive' then
    return { last.row + 1, last.col }
  elseif last.col == 0 then
    -- On the line end of the previous line.
    return { last.row, #line_at(0, last.row - 1) }
  end
  local character = vim.str_utf_start(line_at(0, last.row), last.col)
  return { last.row + 1, last.col - 1 + character }
end

--- Select a passage in the current window, in Visual mode.
---@param passage claude_ide.Passage
function M.select(passage)
  M.show(0, passage)
  if passage.is_point then
    return
  end
  -- In Select mode, typing would replace the selected text.
  local selectmode = vim.o.selectmode
  vim.o.selectmode = ''
  vim.cmd('normal! v')
  vim.o.selectmode = selectmode
  -- Only in Visual mode can the cursor be on the end of a line.
  api.nvim_win_set_cursor(0, { passage.first.row + 1, passage.first.col })
  vim.cmd('normal! o')
  api.nvim_win_set_cursor(0, end_of_area(passage.last))
  moment.claim_visual()
end

-- The passage to select. The text in which the host has found it may be another one by now.
local function passage_in(bufnr, request)
  if not request.passage then
    return request.line and M.lines(bufnr, request.line, request.end_line)
  end
  local first, last = request.passage.first, request.passage.last
  return { first = at(bufnr, first.row, first.col), last = at(bufnr, last.row, last.col) }
end

-- Opening and closing.

-- Show a buffer and give it the focus.
local function enter(bufnr)
  if vim.fn.mode():find('[vV\22]') then
    vim.cmd('normal! \27')
  end
  local win = M.to_enter(bufnr)
  quiet.run(function()
    api.nvim_set_current_win(win)
  end)
  if api.nvim_win_get_buf(win) == bufnr then
    -- Add a jump for CTRL-O. Entering another buffer adds one by itself.
    vim.cmd("normal! m'")
    return win
  end
  return win, file_load.in_window(win, bufnr)
end

-- Load a buffer without giving it the focus, and show it if another window can and it is not to be unseen.
local function load(bufnr, is_unseen)
  local win = not is_unseen and M.to_show(bufnr)
  if not win then
    return nil, file_load.hidden(bufnr)
  elseif api.nvim_win_get_buf(win) == bufnr then
    return win
  end
  return win, file_load.in_window(win, bufnr)
end

local function open_file(request)
  local path = file.absolute(request.path)
  local known = buffers.find(path)
  local bufnr, refusal = file_load.add(path)
  if not bufnr then
    return { error = refusal }
  end
  vim.bo[bufnr].buflisted = true
  local is_frontmost = request.make_frontmost ~= false
  local has_focus = is_frontmost and is_user_free()
  local here = api.nvim_get_current_win()
  local win, note, err = (has_focus and enter or load)(bufnr, request.is_unseen)
  if err then
    return { error = err }
  end
  local found = passage_in(bufnr, request)
  if found and has_focus then
    M.select(found)
  elseif found and win and win ~= here then
    M.show(win, found)
  end
  local away = is_frontmost and not has_focus and AWAY or nil
  return {
    path = path,
    languageId = vim.bo[bufnr].filetype,
    lineCount = api.nvim_buf_line_count(bufnr),
    wasOpen = known ~= nil and known.is_open,
    isShown = win ~= nil,
    note = note and away and note .. ' ' .. away or note or away,
  }
end

--- Open a file in a window, and select a passage of it.
---@param request claude_ide.OpenFile
---@return claude_ide.OpenedFile|{ error: string }
function M.open_file(request)
  local ok, result = pcall(open_file, request)
  return ok and result or { error = reason.of(result) }
end

-- Why a buffer must stay open, as one sentence.
local function obstacle(bufnr)
  local name = api.nvim_buf_get_name(bufnr)
  if vim.bo[bufnr].modified then
    return ('%s has unsaved changes; it stays open.'):format(name)
  elseif api.nvim_get_current_buf() == bufnr and not is_user_free() then
    return ('The user is typing in %s; it stays open.'):format(name)
  elseif vim.iter(vim.fn.win_findbuf(bufnr)):any(is_in_diff) then
    return ('%s is part of a diff; it stays open.'):format(name)
  end
end

--- Close a file that has no unsaved changes. Its windows stay and show another file.
---@type fun(path: string): { closed: boolean, error?: string }
function M.close_file(path)
  local buffer = buffers.find(path)
  if not buffer or not (buffer.loaded or buffer.listed) then
    return { closed = false, error = ('%s is not open in Neovim.'):format(path) }
  end
  local refusal = obstacle(buffer.bufnr)
  if refusal then
    return { closed = false, error = refusal }
  end
  local ok, err = pcall(function()
    for _, win in ipairs(vim.fn.win_findbuf(buffer.bufnr)) do
      if not tiling.has(win) or vim.wo[win].winfixbuf then
        window_close.window(win, false)
      else
        local _, problem = file_load.in_window(win, window_close.replacement(win))
        assert(not problem, problem)
      end
    end
    vim.cmd.bdelete({ count = buffer.bufnr, mods = { silent = true } })
  end)
  return { closed = ok, error = not ok and reason.of(err) or nil }
end

return M
