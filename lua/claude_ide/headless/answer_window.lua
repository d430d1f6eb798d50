--- The window in which an answer appears: a float, no larger than the text needs, or a split.
local autocommands = require('claude_ide.messages.autocommands')
local colouring = require('claude_ide.colouring')
local ctrl_c = require('claude_ide.timing.ctrl_c')
local float = require('claude_ide.window.float')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')
local plug = require('claude_ide.window.plug')
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_headless_answer_window')
local marks = api.nvim_create_namespace('claude_ide_answer')

local LARGEST_BYTES = 30000 -- a larger text is not parsed
local SHARE = { width = 0.7, height = 0.6 } -- of the screen, at most
local WIDEST, NARROWEST, LOWEST = 110, 40, 3
local BORDER = 2
local RUNNING, ENDED = 'CTRL-C stops · q closes', 'gy yanks · q closes'
local CONTINUE = '<Plug>(claude-ask-continue)'
local COMMIT = '<Plug>(claude-commit-staged)'

---@class claude_ide.AnswerWindow
---@field bufnr integer
---@field win integer
---@field origin integer the window from which it was opened
---@field title string
---@field status string shown below the text: the progress
---@field handlers claude_ide.AnswerHandlers
---@field about? claude_ide.ScreenRows lines that a float should not cover
---@field width integer wanted by a float; it never shrinks
---@field height integer
---@field is_closed? boolean

---@class claude_ide.ScreenRows
---@field top integer from 1
---@field bottom integer

---@class claude_ide.AnswerHandlers
---@field stop fun() called on CTRL-C
---@field commit? fun() called on the key that commits with the answer, which the user may then change
---@field continue? fun() called on the key that continues the answer in the chat, if that is possible
---@field closed fun() called when the buffer is wiped out

--- Where lines of the current window are on the screen.
---@param first integer
---@param last integer
---@return claude_ide.ScreenRows? rows nil if none of them is visible
function M.rows_of(first, last)
  first, last = math.max(first, vim.fn.line('w0')), math.min(last, vim.fn.line('w$'))
  local top = first <= last and vim.fn.screenpos(0, first, 1).row or 0
  if top == 0 then
    return nil
  end
  local bottom = vim.fn.screenpos(0, last, math.max(1, vim.fn.col({ last, '$' }) - 1)).row
  return { top = top, bottom = math.max(top, bottom) }
end

local function screen_lines()
  return vim.o.lines - vim.o.cmdheight
end

local function geometry(view)
  local place, about = float.centred(view.width, view.height), view.about
  if about then
    local highest = screen_lines() - place.height - BORDER
    local is_below = screen_lines() - about.bottom >= about.top - 1
    place.row =
      math.max(0, is_below and math.min(about.bottom, highest) or about.top - 3 - place.height)
  end
  local title = vim.fn.strcharpart(plain.one_line(view.title), 0, math.max(0, place.width - 4))
  return vim.tbl_extend('error', place, { title = (' %s '):format(title), title_pos = 'left' })
end

-- During its own `BufWipeout` a buffer is still valid.
local function is_open(view)
  return not view.is_closed and api.nvim_buf_is_valid(view.bufnr)
end

local function is_float(view)
  return api.nvim_win_is_valid(view.win) and api.nvim_win_get_config(view.win).relative ~= ''
end

local function configure(view)
  api.nvim_win_set_config(view.win, geometry(view))
end

local function set_footer(view, keys)
  api.nvim_win_set_config(view.win, { footer = (' %s '):format(keys), footer_pos = 'right' })
end

-- Let a float grow until it shows the text, of which some lines are new, or is as large as it may be.
local function grow(view, lines)
  if not is_float(view) then
    return
  end
  local widest = math.min(WIDEST, math.max(NARROWEST, math.floor(vim.o.columns * SHARE.width)))
  local highest = math.max(LOWEST, math.floor(screen_lines() * SHARE.height))
  local width, height = view.width, view.height
  view.width = math.max(width, math.min(widest, float.widest(lines)))
  if view.width ~= width then
    configure(view)
  end
  local rows = api.nvim_buf_line_count(view.bufnr)
  if height < highest then
    rows = rows < highest and api.nvim_win_text_height(view.win, {}).all or rows
    view.height = math.max(height, math.min(highest, rows))
  end
  if view.height ~= height then
    configure(view)
  end
end

local function draw_status(view)
  local last = api.nvim_buf_line_count(view.bufnr) - 1
  api.nvim_buf_clear_namespace(view.bufnr, marks, 0, -1)
  if view.status == '' then
    return
  end
  local chunk = { plain.one_line(view.status), 'Comment' }
  local is_empty = last == 0 and api.nvim_buf_get_lines(view.bufnr, 0, 1, true)[1] == ''
  api.nvim_buf_set_extmark(view.bufnr, marks, last, 0, {
    virt_text = is_empty and { chunk } or nil,
    virt_text_pos = 'overlay',
    virt_lines = not is_empty and { { { '' } }, { chunk } } or nil,
  })
end

-- Replace the lines from a row on.
local function put(view, row, lines)
  vim.bo[view.bufnr].modifiable = true
  api.nvim_buf_set_lines(view.bufnr, row, -1, false, lines)
  vim.bo[view.bufnr].modifiable = false
end

-- Yank the whole text into the register that was named before the key.
local function yank(view)
  local lines = api.nvim_buf_get_lines(view.bufnr, 0, -1, true)
  vim.fn.setreg(vim.v.register, lines, 'l')
  message.show(#lines == 1 and '1 line yanked' or ('%d lines yanked'):format(#lines), 'info')
end

---@param view claude_ide.AnswerWindow
local function define_keys(view)
  local handlers, bufnr = view.handlers, view.bufnr
  local function map(keys, action, desc)
    vim.keymap.set('n', keys, action, { buffer = bufnr, nowait = true, desc = desc })
  end
  map('q', '<Cmd>close<CR>', 'Close the answer')
  map('<Esc>', '<Cmd>close<CR>', 'Close the answer')
  map('<C-c>', handlers.stop, 'Stop the answer')
  ctrl_c.keep(bufnr)
  map('gy', function()
    yank(view)
  end, 'Yank the answer')
  if handlers.commit then
    map(COMMIT, handlers.commit, 'Commit what is staged')
    plug.define(bufnr, { 'n' }, 'gC', COMMIT, 'Commit what is staged')
  elseif handlers.continue then
    map(CONTINUE, handlers.continue, 'Continue the answer in the chat')
    plug.define(bufnr, { 'n' }, 'c', CONTINUE, 'Continue the answer in the chat')
  end
end

---@param view claude_ide.AnswerWindow
---@param kind 'float'|'split'
---@return integer win
local function open(view, kind)
  if kind == 'split' then
    return quiet.run(function()
      return api.nvim_open_win(view.bufnr, true, { split = 'below', win = -1 })
    end) --[[@as integer]]
  end
  local win = float.open(view.bufnr, geometry(view))
  view.win = win
  set_footer(view, RUNNING)
  float.follow_screen(win, function()
    configure(view)
  end)
  return win
end

--- Open a window for an answer, and enter it.
---
--- Raises an error if it cannot be opened.
---@param title string
---@param kind 'float'|'split'
---@param handlers claude_ide.AnswerHandlers
---@param about? claude_ide.ScreenRows lines that a float should not cover
---@return claude_ide.AnswerWindow
function M.open(title, kind, handlers, about)
  local bufnr = api.nvim_create_buf(false, true)
  ---@type claude_ide.AnswerWindow
  local view = {
    bufnr = bufnr,
    win = -1,
    origin = api.nvim_get_current_win(),
    title = title,
    status = '',
    handlers = handlers,
    about = about,
    width = NARROWEST,
    height = LOWEST,
  }
  local options = vim.bo[bufnr]
  options.bufhidden, options.modifiable, options.undolevels = 'wipe', false, -1
  local ok, win = pcall(open, view, kind)
  if not ok then
    window_close.buffer(bufnr)
    error(win, 0)
  end
  view.win = win
  vim.wo[win][0].wrap, vim.wo[win][0].linebreak = true, true
  -- Not 'filetype': what plugins start with it may cost more with each line that arrives. The user's `Syntax`
  -- autocommands may fail.
  pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd.setlocal('syntax=markdown')
  end)
  define_keys(view)
  on('BufWipeout', bufnr, function()
    view.is_closed = true
    handlers.closed()
  end)
  return view
end

--- Take the user back to the window from which an answer was opened. It stays open.
---@param view claude_ide.AnswerWindow
function M.leave(view)
  if api.nvim_win_is_valid(view.origin) then
    api.nvim_set_current_win(view.origin)
  end
end

--- Show the text so far. A cursor on the last line follows its end.
---@param view claude_ide.AnswerWindow
---@param text string
---@param keep integer how many of its first bytes are shown already
function M.draw(view, text, keep)
  if not is_open(view) then
    return
  end
  local _, row = text:sub(1, keep):gsub('\n', '')
  local start = text:sub(1, keep):match('.*\n()') or 1
  local last, lines = api.nvim_buf_line_count(view.bufnr), plain.lines(text:sub(start))
  local following = vim.tbl_filter(function(win)
    return last > 1 and api.nvim_win_get_cursor(win)[1] == last
  end, vim.fn.win_findbuf(view.bufnr))
  put(view, row, lines)
  for _, win in ipairs(following) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(view.bufnr), 0 })
  end
  draw_status(view)
  grow(view, lines)
end

--- Show a status below the text.
---@param view claude_ide.AnswerWindow
---@param status string empty for none
function M.set_status(view, status)
  if is_open(view) then
    view.status = status
    draw_status(view)
  end
end

-- An error is text below the answer, so that it wraps, and can be yanked.
local function add_error(view, err)
  local last, lines = api.nvim_buf_line_count(view.bufnr), plain.lines(err)
  local is_empty = api.nvim_buf_get_offset(view.bufnr, last) <= 1
  local first = is_empty and 0 or last
  put(view, first, is_empty and lines or vim.list_extend({ '' }, lines))
  for row = first, api.nvim_buf_line_count(view.bufnr) - 1 do
    api.nvim_buf_set_extmark(view.bufnr, marks, row, 0, { line_hl_group = 'WarningMsg' })
  end
  grow(view, lines)
end

--- The answer is complete, or has ended with an error, which is added to it.
---@type fun(view: claude_ide.AnswerWindow, err?: string, is_continuable?: boolean)
function M.finish(view, err, is_continuable)
  if not is_open(view) then
    return
  end
  local bufnr, is_message = view.bufnr, view.handlers.commit and not err
  M.set_status(view, '')
  if err then
    add_error(view, err)
  end
  if is_float(view) then
    local use = is_message and '%s commits · ' or is_continuable and '%s opens a chat · ' or ''
    set_footer(view, use:format(plug.typed(bufnr, is_message and COMMIT or CONTINUE)) .. ENDED)
  end
  local size = api.nvim_buf_get_offset(bufnr, api.nvim_buf_line_count(bufnr))
  if size <= LARGEST_BYTES and not colouring.set_filetype(bufnr, 'markdown') then
    pcall(vim.treesitter.start, bufnr, 'markdown')
    vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable = 'wipe', false
  end
  if is_message then
    -- After a change in Insert mode, one <Esc> too many must not lose it.
    pcall(vim.keymap.del, 'n', '<Esc>', { buffer = bufnr })
    vim.bo[bufnr].undolevels, vim.bo[bufnr].modifiable = vim.go.undolevels, true
  end
end

return M
