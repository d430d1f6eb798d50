--- The window in which an answer appears: a float, or a split.
local answer_float = require('claude_ide.headless.answer_float')
local colouring = require('claude_ide.colouring')
local ctrl_c = require('claude_ide.timing.ctrl_c')
local float = require('claude_ide.window.float')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')
local plug = require('claude_ide.window.plug')
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_question_answer_window', { clear = true })

local LARGEST = 30000 -- bytes; a larger text is not parsed
local RUNNING, ENDED = 'CTRL-C stops · q closes', 'gy yanks · q closes'
local CONTINUE = '<Plug>(claude-ask-continue)'
local COMMIT = '<Plug>(claude-commit-staged)'

local marks = vim.api.nvim_create_namespace('claude_ide_answer')

---@class claude_ide.AnswerWindow
---@field bufnr integer
---@field win integer
---@field origin integer the window from which it was opened
---@field title string
---@field is_closed? boolean
---@field is_message boolean whether the user may change it once it is complete
---@field status string shown below the text: the progress
---@field float claude_ide.AnswerFloat

---@class claude_ide.AnswerHandlers
---@field stop fun() called on CTRL-C
---@field commit? fun() called on the key that commits with the answer, which the user may then change
---@field continue? fun() called on the key that continues the answer in the chat, if that is possible
---@field closed fun() called when the buffer is wiped out

-- During its own `BufWipeout` a buffer is still valid.
local function is_open(view)
  return not view.is_closed and vim.api.nvim_buf_is_valid(view.bufnr)
end

local function open_float(view)
  local footer = { footer = (' %s '):format(RUNNING), footer_pos = 'right' }
  local geometry = answer_float.geometry(view.float, view.title)
  local win = float.open(view.bufnr, vim.tbl_extend('error', geometry, footer))
  float.follow_screen(win, function()
    vim.api.nvim_win_set_config(win, answer_float.geometry(view.float, view.title))
  end)
  return win
end

local function open_split(view)
  return quiet.run(function()
    return vim.api.nvim_open_win(view.bufnr, true, { split = 'below', win = -1 })
  end)
end

local function is_float(view)
  return vim.api.nvim_win_is_valid(view.win)
    and vim.api.nvim_win_get_config(view.win).relative ~= ''
end

-- The user's `Syntax` autocommands may fail.
local function set_syntax(view)
  pcall(vim.api.nvim_buf_call, view.bufnr, function()
    vim.cmd.setlocal('syntax=markdown')
  end)
end

local function size_of(view)
  return vim.api.nvim_buf_get_offset(view.bufnr, vim.api.nvim_buf_line_count(view.bufnr))
end

local function fit(view, lines)
  if is_float(view) then
    answer_float.grow(view.float, view.win, view.title, lines)
  end
end

local function draw_status(view)
  local last = vim.api.nvim_buf_line_count(view.bufnr) - 1
  vim.api.nvim_buf_clear_namespace(view.bufnr, marks, 0, -1)
  if view.status == '' then
    return
  end
  local chunk = { plain.one_line(view.status), 'Comment' }
  local is_empty = last == 0 and vim.api.nvim_buf_get_lines(view.bufnr, 0, 1, true)[1] == ''
  vim.api.nvim_buf_set_extmark(view.bufnr, marks, last, 0, {
    virt_text = is_empty and { chunk } or nil,
    virt_text_pos = 'overlay',
    virt_lines = not is_empty and { { { '' } }, { chunk } } or nil,
  })
end

-- Yank the whole text into the register that was named before the key.
local function yank(view)
  local lines = vim.api.nvim_buf_get_lines(view.bufnr, 0, -1, true)
  vim.fn.setreg(vim.v.register, lines, 'l')
  message.show(#lines == 1 and '1 line yanked' or ('%d lines yanked'):format(#lines), 'info')
end

---@param view claude_ide.AnswerWindow
---@param handlers claude_ide.AnswerHandlers
local function define_keys(view, handlers)
  local function map(keys, action, desc)
    vim.keymap.set('n', keys, action, { buffer = view.bufnr, nowait = true, desc = desc })
  end
  map('q', '<Cmd>close<CR>', 'Close the answer')
  map('<Esc>', '<Cmd>close<CR>', 'Close the answer')
  map('<C-c>', handlers.stop, 'Stop the answer')
  ctrl_c.keep(view.bufnr)
  map('gy', function()
    yank(view)
  end, 'Yank the answer')
  if handlers.commit then
    map(COMMIT, handlers.commit, 'Commit what is staged')
    plug.define(view.bufnr, { 'n' }, 'gC', COMMIT, 'Commit what is staged')
  end
  if handlers.continue then
    map(CONTINUE, handlers.continue, 'Continue the answer in the chat')
    plug.define(view.bufnr, { 'n' }, 'c', CONTINUE, 'Continue the answer in the chat')
  end
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
  local bufnr = vim.api.nvim_create_buf(false, true)
  ---@type claude_ide.AnswerWindow
  local view = {
    bufnr = bufnr,
    win = -1,
    origin = vim.api.nvim_get_current_win(),
    title = title,
    status = '',
    is_message = handlers.commit ~= nil,
    float = answer_float.new(about),
  }
  local options = vim.bo[bufnr]
  options.bufhidden, options.modifiable, options.undolevels = 'wipe', false, -1
  local ok, win = pcall(kind == 'split' and open_split or open_float, view)
  if not ok then
    window_close.buffer(bufnr)
    error(win, 0)
  end
  view.win = win
  vim.wo[win][0].wrap, vim.wo[win][0].linebreak = true, true
  -- Not 'filetype': what plugins start with it may cost more with each line that arrives.
  set_syntax(view)
  define_keys(view, handlers)
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      view.is_closed = true
      handlers.closed()
    end,
  })
  return view
end

--- Take the user back to the window from which an answer was opened. It stays open.
---@param view claude_ide.AnswerWindow
function M.leave(view)
  if vim.api.nvim_win_is_valid(view.origin) then
    vim.api.nvim_set_current_win(view.origin)
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
  local last = vim.api.nvim_buf_line_count(view.bufnr)
  local is_shown = vim.api.nvim_win_is_valid(view.win)
    and vim.api.nvim_win_get_buf(view.win) == view.bufnr
  local follows = is_shown and last > 1 and vim.api.nvim_win_get_cursor(view.win)[1] == last
  local lines = plain.lines(text:sub(start))
  vim.bo[view.bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(view.bufnr, row, -1, false, lines)
  vim.bo[view.bufnr].modifiable = false
  if follows then
    vim.api.nvim_win_set_cursor(view.win, { vim.api.nvim_buf_line_count(view.bufnr), 0 })
  end
  draw_status(view)
  fit(view, lines)
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
  local last = vim.api.nvim_buf_line_count(view.bufnr)
  local is_empty = size_of(view) <= 1
  local lines = plain.lines(err)
  local shown = is_empty and lines or vim.list_extend({ '' }, lines)
  local first = is_empty and 0 or last
  vim.bo[view.bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(view.bufnr, first, -1, false, shown)
  vim.bo[view.bufnr].modifiable = false
  for row = first, first + #shown - 1 do
    vim.api.nvim_buf_set_extmark(view.bufnr, marks, row, 0, { line_hl_group = 'WarningMsg' })
  end
  fit(view, lines)
end

--- The answer is complete, or has ended with an error, which is added to it.
---@param view claude_ide.AnswerWindow
---@param err? string
---@param is_continuable? boolean
function M.finish(view, err, is_continuable)
  if not is_open(view) then
    return
  end
  M.set_status(view, '')
  if err then
    add_error(view, err)
  end
  if is_float(view) then
    local key = plug.typed(view.bufnr, CONTINUE)
    local keys = is_continuable and ('%s opens a chat · %s'):format(key, ENDED) or ENDED
    if view.is_message and not err then
      keys = ('%s commits · %s'):format(plug.typed(view.bufnr, COMMIT), ENDED)
    end
    vim.api.nvim_win_set_config(view.win, { footer = (' %s '):format(keys), footer_pos = 'right' })
  end
  if size_of(view) <= LARGEST and not colouring.set_filetype(view.bufnr, 'markdown') then
    pcall(vim.treesitter.start, view.bufnr, 'markdown')
    vim.bo[view.bufnr].bufhidden, vim.bo[view.bufnr].modifiable = 'wipe', false
  end
  if view.is_message and not err then
    -- After a change in Insert mode, one <Esc> too many must not lose it.
    pcall(vim.keymap.del, 'n', '<Esc>', { buffer = view.bufnr })
    vim.bo[view.bufnr].undolevels = vim.go.undolevels
    vim.bo[view.bufnr].modifiable = true
  end
end

return M
