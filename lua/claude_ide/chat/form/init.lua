--- The agent's questions with their choices, as a form that the user fills in.
local channel = require('claude_ide.channel')
local chat_focus = require('claude_ide.chat.window.focus')
local form_answers = require('claude_ide.chat.form.answers')
local form_keys = require('claude_ide.chat.form.keys')
local form_page = require('claude_ide.chat.form.page')
local form_window = require('claude_ide.chat.form.window')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local kept_text = require('claude_ide.file.kept')
local location = require('claude_ide.window.location')
local quiet = require('claude_ide.say.quiet')
local reading = require('claude_ide.window.reading')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

---@class claude_ide.FormRequest
---@field title string
---@field message? string introduces the questions
---@field is_instant? boolean whether the first choice is the answer; its choices have keys
---@field questions claude_ide.FormQuestion[]

---@class claude_ide.Form: claude_ide.FormRequest
---@field token integer
---@field answers claude_ide.FormAnswer[]
---@field reached? integer the row to which the last pick has moved the cursor, 1-based
---@field row integer the cursor's row when the form was closed, 0-based
---@field page claude_ide.FormPage
---@field origin claude_ide.Location where the user was
---@field insert? integer[] the cursor there, if they were in Insert mode
---@field bufnr? integer
---@field win? integer
---@field group? integer of autocommands
---@field reading? claude_ide.Reading what of it has been on the screen, if it is instant
---@field actions? claude_ide.FormActions what its keys do; set once shown

---@type table<integer, claude_ide.Form> forms that wait for an answer, by token
local forms = {}
---@type table<integer, claude_ide.Form> forms that were closed without an answer, by token
local kept = {}

local function is_shown(form)
  return form.win ~= nil
    and api.nvim_win_is_valid(form.win)
    and api.nvim_win_get_buf(form.win) == form.bufnr
end

local function go_back(form)
  location.go_back(form.origin)
  if form.insert and api.nvim_get_current_win() == form.origin.win then
    pcall(api.nvim_win_set_cursor, 0, form.insert)
    chat_focus.resume_insert(form.origin, form.insert)
  end
end

local function close(form)
  local was_there = api.nvim_get_current_win() == form.win
  if is_shown(form) then
    window_close.window(form.win)
  end
  window_close.buffer(form.bufnr)
  if was_there then
    go_back(form)
  end
end

local function close_quietly(form)
  quiet.run(function()
    close(form)
  end)
end

local function remove(form)
  forms[form.token] = nil
  if form.group then
    api.nvim_del_augroup_by_id(form.group)
    form.group = nil
  end
end

local function answer(form, fields)
  remove(form)
  kept[form.token] = fields.closed and form or nil
  channel.emit('answered', vim.tbl_extend('error', { token = form.token }, fields))
end

---@param form claude_ide.Form
---@param fields table
local function finish(form, fields)
  if forms[form.token] == form then
    form.row = api.nvim_win_get_cursor(form.win)[1] - 1
    answer(form, fields)
  elseif not fields.closed then
    message.show('this question is no longer waiting for an answer', 'warn')
  end
  close_quietly(form)
end

-- The window is still closing, so the user is moved afterwards.
local function on_closed(form)
  local was_there = api.nvim_get_current_win() == form.win
  answer(form, { closed = true })
  vim.schedule(function()
    if was_there then
      go_back(form)
    end
  end)
end

local function draw(form)
  form.page = form_page.compose(form)
  form_window.draw(form.bufnr, form.page)
  if is_shown(form) then
    form_window.fit(form.win, form)
  end
end

local function keep(form, text)
  if vim.trim(text) ~= '' then
    message.show(kept_text.keep(form.title, text .. '\n', 'your text is'), 'warn')
  end
end

local function listen(form)
  form.group = api.nvim_create_augroup(('claude_ide_chat_form_%d'):format(form.bufnr), {})
  local function on(event, options)
    api.nvim_create_autocmd(event, vim.tbl_extend('error', { group = form.group }, options))
  end
  local function closed()
    if forms[form.token] == form then
      on_closed(form)
    end
  end
  on('BufWipeout', { buffer = form.bufnr, callback = closed })
  on('WinClosed', { pattern = tostring(form.win), callback = closed })
end

local function show(form)
  form.bufnr = api.nvim_create_buf(false, true)
  vim.bo[form.bufnr].bufhidden, vim.bo[form.bufnr].undolevels = 'wipe', -1
  draw(form)
  form.reading = form.is_instant and reading.new(form.bufnr, true) or nil
  form.win = form_window.open(form.bufnr, form)
  form_keys.define(form, {
    draw = draw,
    finish = finish,
    keep = function(text)
      keep(form, text)
    end,
    is_waiting = function()
      return forms[form.token] == form
    end,
  })
  listen(form)
  if form.row > 0 then
    local last = api.nvim_buf_line_count(form.bufnr)
    api.nvim_win_set_cursor(form.win, { math.min(form.row + 1, last), 0 })
  else
    form_keys.go_to(form, 1)
  end
end

local function new(token, request)
  local before = kept[token]
  local is_same = before and vim.deep_equal(before.questions, request.questions)
  return {
    token = token,
    title = request.title,
    message = request.message,
    is_instant = request.is_instant == true,
    questions = request.questions,
    answers = is_same and before.answers or form_answers.initial(request.questions),
    row = is_same and before.row or 0,
  }
end

local function fail(form, reason)
  message.show(('the questions cannot be shown: %s'):format(reason), 'error')
  answer(form, { closed = true })
  if form.bufnr then
    close_quietly(form)
  end
end

local function appear(form)
  if forms[form.token] ~= form then
    return
  elseif is_shown(form) then
    return api.nvim_set_current_win(form.win)
  end
  form.origin = location.current()
  form.insert = vim.fn.mode():find('^[iR]') and api.nvim_win_get_cursor(0) or nil
  location.leave_mode(function()
    if forms[form.token] ~= form then
      return
    end
    local ok, err = pcall(quiet.run, function()
      show(form)
    end)
    if not ok then
      fail(form, err)
    end
  end)
end

--- Show a form that the user wants to fill in. If they closed it before, it shows their answers so far.
---
--- Emits `answered` with {token, answers = {question, chosen = label[]}[]}, {token, declined = true}, or
--- {token, closed = true} if the user may still answer later.
---@param token integer
---@param request claude_ide.FormRequest
function M.open(token, request)
  local form = forms[token] or new(token, request)
  forms[token] = form
  moment.when_harmless(function()
    appear(form)
  end, function(reason)
    fail(form, reason)
  end)
end

local function withdraw(form)
  moment.when_harmless(function()
    local was_there = api.nvim_get_current_win() == form.win
    close_quietly(form)
    if was_there then
      -- The next keys were meant for the form.
      moment.guard()
    end
  end, function(reason)
    message.show(('the form cannot be closed: %s'):format(reason), 'error')
  end)
end

--- Close a form whose answer is no longer needed. What the user has typed is kept in a buffer.
---@param token integer
function M.close(token)
  local form = forms[token]
  kept[token] = nil
  if form then
    remove(form)
    keep(form, form_answers.typed(form.questions, form.answers))
    if form.bufnr then
      withdraw(form)
    end
  end
end

--- Close all forms.
function M.close_all()
  kept = {}
  vim.iter(vim.tbl_keys(forms)):each(M.close)
end

return M
