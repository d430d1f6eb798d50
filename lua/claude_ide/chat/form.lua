--- The agent's questions with their choices, as a form that the user fills in. The host owns its pages and
--- handles its keys; what the user types is kept here until a page has it.
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local chat_page = require('claude_ide.chat.page')
local float = require('claude_ide.window.float')
local highlights = require('claude_ide.highlights')
local command_buffer = require('claude_ide.file.command_buffer')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')
local moment = require('claude_ide.timing.moment')
local quiet = require('claude_ide.messages.quiet')
local reading = require('claude_ide.window.reading')
local ui = require('claude_ide.ui.vim_ui')
local window_close = require('claude_ide.window.close')
local window_looks = require('claude_ide.window.looks')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_chat_form')

local WIDEST = 90
local TIMEOUT_MS = 200
local OPTIONS = {
  wrap = true,
  linebreak = true,
  breakindent = true,
  breakindentopt = 'list:-1',
  cursorline = true,
  winfixbuf = true,
}
-- Lets the wrapped lines of a choice align with its label ('formatlistpat').
local SIGN = [[^\s*[\[(].[\])] . ]]

---@class claude_ide.FormRow
---@field keys? string[] on which it asks for a text, as the answer to `question`
---@field question? integer from 0
---@field answer? string the key whose answer it is

---@class claude_ide.FormPage
---@field number integer that of the last key that it is for; 0 before the first
---@field title string
---@field footer string
---@field lines string[]
---@field marks any[] `{ row, column, end_column, group }`
---@field rows claude_ide.FormRow[] by line
---@field inputs? { label: string, text: string }[] the dialogue for the text of each question
---@field keys { name: string, desc: string, typed: string[], key: string, shown: string }[]
---@field is_instant? boolean whether each key is an answer
---@field cursor integer row, 0-based
---@field typed string what is kept if the form is withdrawn
---@field warning? string
---@field is_over? boolean whether the user has submitted the form

---@class claude_ide.Form
---@field token integer
---@field page claude_ide.FormPage
---@field pressed integer how many keys the host has got
---@field row integer where the cursor was at the last one; 0-based
---@field typed string what the user has typed since the page was composed
---@field origin claude_ide.Location where the user was
---@field bufnr? integer
---@field win? integer
---@field reading? claude_ide.Reading what of it has been on the screen, if each key is an answer

---@type table<integer, claude_ide.Form> forms that wait for an answer, by token
local forms = {}

local function is_shown(form)
  return form.win ~= nil
    and api.nvim_win_is_valid(form.win)
    and api.nvim_win_get_buf(form.win) == form.bufnr
end

local function cursor_row(form)
  return api.nvim_win_get_cursor(form.win)[1] - 1
end

local function close(form)
  quiet.run(function()
    local was_there = api.nvim_get_current_win() == form.win
    if is_shown(form) then
      window_close.window(form.win)
    end
    window_close.buffer(form.bufnr)
    if was_there then
      location.go_back(form.origin)
    end
  end)
end

-- A form waits no longer for the answer that these fields are.
local function answer(form, fields)
  forms[form.token] = nil
  channel.emit('answered', vim.tbl_extend('error', { token = form.token }, fields))
end

local function finish(form, fields)
  if forms[form.token] == form then
    answer(form, fields)
  elseif not fields.closed then
    message.show('this question is no longer waiting for an answer', 'warn')
  end
  if form.bufnr then
    close(form)
  end
end

local function keep(form, text)
  if vim.trim(text) ~= '' then
    message.show(command_buffer.keep(form.page.title, text .. '\n', 'your text is'), 'warn')
  end
end

-- Report a key at the row of the cursor, and wait a moment for the page: keys that are typed ahead, also
-- those that only move the cursor, are meant for what the user will see.
local function press(form, key, fields)
  form.pressed, form.row = form.pressed + 1, cursor_row(form)
  local event = { token = form.token, number = form.pressed, key = key, row = form.row }
  channel.emit('form', vim.tbl_extend('error', event, fields or {}))
  vim.wait(TIMEOUT_MS, function()
    return forms[form.token] ~= form or form.page.number == form.pressed
  end, 1)
end

local function ask_for_text(form, number)
  local input = form.page.inputs[number + 1]
  ui.input(input.label, input.text, function(text)
    if not text then
      return
    elseif forms[form.token] ~= form or not is_shown(form) then
      return keep(form, text)
    end
    form.typed = ('%s\n%s%s'):format(form.typed, input.label, text)
    press(form, 'typed', { question = number, text = text })
  end)
end

-- The form says what is answered.
local function answer_instantly(form, key)
  local missing = reading.missing(form.reading)
  if missing then
    message.show(missing, 'info')
  elseif reading.is_noticed(form.reading) then
    finish(form, { answer = key })
  end
end

---@param key string as the host names it
local function on_key(form, key)
  local here = form.page.rows[cursor_row(form) + 1]
  if key == 'later' then
    finish(form, { closed = true })
  elseif key == 'decline' then
    finish(form, { declined = true })
  elseif form.reading then
    key = key ~= '<CR>' and key or here.answer
    if key then
      answer_instantly(form, key)
    end
  elseif vim.list_contains(here.keys or {}, key) then
    ask_for_text(form, here.question)
  elseif forms[form.token] ~= form then
    finish(form, {})
  elseif key ~= 'i' then
    press(form, key)
  end
end

local function define_keys(form)
  local keys = {}
  for _, each in ipairs(form.page.keys) do
    local function run()
      on_key(form, each.key)
    end
    local shown = { vim.trim(each.shown) }
    table.insert(keys, { 'n', each.typed, 'form-' .. each.name, each.desc, run, shown = shown })
  end
  chat_page.define(form.bufnr, keys, 'form-keys')
end

-- The window is still closing, so the user is moved afterwards.
local function on_closed(form)
  local was_there = api.nvim_get_current_win() == form.win
  if forms[form.token] == form then
    answer(form, { closed = true })
    vim.schedule(function()
      if was_there then
        location.go_back(form.origin)
      end
    end)
  end
end

local function config(form, height)
  local page = form.page
  local widest = math.max(api.nvim_strwidth(page.footer), float.widest(page.lines) + 1)
  local geometry = float.centred(math.min(widest, WIDEST), height)
  return vim.tbl_extend('error', geometry, {
    title = plain.fit((' %s '):format(page.title), geometry.width),
    title_pos = 'center',
    footer = plain.fit(page.footer, geometry.width),
    footer_pos = 'center',
  })
end

-- Fit the float to its text and to the screen.
local function fit(form)
  -- Twice: the first pass sets the width, on which the height of the text depends.
  for _ = 1, 2 do
    local height = api.nvim_win_text_height(form.win, {}).all
    api.nvim_win_set_config(form.win, config(form, height))
  end
end

local function go_to(form, row)
  row = math.min(row, api.nvim_buf_line_count(form.bufnr) - 1)
  api.nvim_win_set_cursor(form.win, { row + 1, 0 })
end

local function open(form)
  highlights.define()
  form.bufnr = chat_page.buffer()
  chat_page.draw(form.bufnr, form.page.lines, form.page.marks)
  form.reading = form.page.is_instant and reading.new(form.bufnr, true) or nil
  -- Above a chat that floats, below a float that asks for text.
  form.win = float.open(form.bufnr, vim.tbl_extend('error', config(form, 1), { zindex = 45 }))
  window_looks.set(form.win, OPTIONS)
  vim.bo[form.bufnr].formatlistpat = SIGN
  fit(form)
  float.follow_screen(form.win, function()
    fit(form)
  end)
  define_keys(form)
  for event, where in pairs({ BufWipeout = form.bufnr, WinClosed = tostring(form.win) }) do
    on(event, where, function()
      on_closed(form)
    end, { once = true })
  end
  go_to(form, form.page.cursor)
end

local function fail(form, reason)
  message.show(('the questions cannot be shown: %s'):format(reason), 'error')
  finish(form, { closed = true })
end

local function appear(form)
  if forms[form.token] ~= form then
    return
  elseif is_shown(form) then
    return api.nvim_set_current_win(form.win)
  end
  form.origin = location.current()
  if vim.fn.mode():find('^[iR]') then
    location.end_insert()
  end
  location.leave_mode(function()
    form.origin.insert = location.current().insert
    if forms[form.token] ~= form then
      return
    end
    local ok, err = pcall(quiet.run, function()
      open(form)
    end)
    if not ok then
      fail(form, err)
    end
  end)
end

--- Show a form that the user wants to fill in, or enter the window of one that is open.
---
--- Emits `form` {token, number, key, row, question?, text?} for each key that the host handles; then
--- `answered` with {token, answer = key} or {token, submitted = true}, with {token, declined = true}, or
--- with {token, closed = true} if the user may still answer later.
---@type fun(token: integer, page: claude_ide.FormPage)
function M.open(token, page)
  local form = forms[token] or { token = token, page = page, pressed = 0, row = 0, typed = '' }
  forms[token] = form
  moment.when_harmless(function()
    appear(form)
  end, function(reason)
    fail(form, reason)
  end)
end

--- Show the page of an open form after a key. Unless the user has moved the cursor since, it goes to its row.
---@type fun(token: integer, page: claude_ide.FormPage)
function M.show(token, page)
  local form = forms[token]
  if not (form and is_shown(form)) then
    return
  elseif page.is_over then
    return finish(form, { submitted = true })
  end
  form.page = page
  chat_page.draw(form.bufnr, page.lines, page.marks)
  fit(form)
  form.typed = page.number == form.pressed and '' or form.typed
  if cursor_row(form) == form.row then
    go_to(form, page.cursor)
  end
  if page.warning ~= '' then
    message.show(page.warning, 'warn')
  end
end

--- Close a form whose answer is no longer needed. What the user has typed is kept in a buffer.
---@param token integer
function M.close(token)
  local form = forms[token]
  if not form then
    return
  end
  forms[token] = nil
  keep(form, vim.trim(form.page.typed .. form.typed))
  moment.when_harmless(function()
    local was_there = api.nvim_get_current_win() == form.win
    if form.bufnr then
      close(form)
    end
    if form.bufnr and was_there then
      -- The next keys were meant for the form.
      moment.guard()
    end
  end, message.failure('the form cannot be closed: %s'))
end

--- Close all forms.
function M.close_all()
  vim.iter(vim.tbl_keys(forms)):each(M.close)
end

return M
