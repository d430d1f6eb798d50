--- The keys of a form, which pick choices or ask for other words.
local chat_keys = require('claude_ide.chat.keys')
local form_answers = require('claude_ide.chat.form.answers')
local message = require('claude_ide.say.message')
local reading = require('claude_ide.window.reading')
local ui = require('claude_ide.dialogue.vim_ui')

local M = {}

local api = vim.api

---@class claude_ide.FormActions
---@field draw fun(form: claude_ide.Form)
---@field finish fun(form: claude_ide.Form, fields: table) emits the fields as the answer, and closes the form
---@field keep fun(text: string) keeps what was typed for a form that was withdrawn in between
---@field is_waiting fun(): boolean whether the form still waits for an answer

---@return claude_ide.FormItem item at the cursor
local function here(form)
  return form.page.items[api.nvim_win_get_cursor(form.win)[1]]
end

--- Move the cursor to the first choice of a question, or to the line that submits.
---@param form claude_ide.Form
---@param number? integer question; nil for the line that submits
function M.go_to(form, number)
  for row, item in ipairs(form.page.items) do
    local is_answer = number and (item.choice or item.is_own)
    if item.question == number and not item.is_message and (not number or is_answer) then
      return api.nvim_win_set_cursor(form.win, { row, 0 })
    end
  end
end

local function step(form, direction)
  local count = #form.questions + 1
  local number = here(form).question or count
  if direction > 0 and form.reached == api.nvim_win_get_cursor(form.win)[1] then
    -- The pick has moved on already.
    form.reached = nil
    return
  end
  number = (number - 1 + direction) % count + 1
  M.go_to(form, form.questions[number] and number or nil)
end

-- After a valid answer, move on if the question takes only one.
local function on_picked(form, number)
  form.reached = nil
  form.actions.draw(form)
  local question, given = form.questions[number], form.answers[number]
  if
    question.multiple ~= true
    and form_answers.is_answered(given)
    and not form_answers.problem(question, given)
  then
    M.go_to(form, form.questions[number + 1] and number + 1 or nil)
    form.reached = api.nvim_win_get_cursor(form.win)[1]
  end
end

local function pick(form, number, index)
  form_answers.pick(form.questions[number], form.answers[number], index)
  on_picked(form, number)
end

local function pick_own(form, number, has_own)
  form_answers.pick_own(form.questions[number], form.answers[number], has_own)
  if has_own then
    on_picked(form, number)
  else
    form.actions.draw(form)
  end
end

local function name(question)
  local header = type(question.header) == 'string' and question.header or ''
  return header ~= '' and header or question.text:match('^[^\n]*')
end

local function type_own(form, number)
  local given, question = form.answers[number], form.questions[number]
  local label = #question.choices > 0 and 'Something else' or name(question)
  ui.input(label .. ': ', given.own, function(text)
    if not text then
      return
    elseif not form.actions.is_waiting() then
      return form.actions.keep(text)
    end
    given.own = vim.trim(text)
    pick_own(form, number, given.own ~= '')
  end)
end

local function complain(form, number, words)
  M.go_to(form, number)
  message.show(words, 'warn')
end

local function names(form, numbers)
  return table.concat(
    vim.tbl_map(function(number)
      return name(form.questions[number])
    end, numbers),
    ', '
  )
end

local function submit(form)
  for number, question in ipairs(form.questions) do
    local problem = form_answers.problem(question, form.answers[number])
    if problem then
      return complain(form, number, ('%s: expected %s'):format(name(question), problem))
    end
  end
  local missing = form_answers.missing(form.questions, form.answers)
  if #missing == 0 then
    return form.actions.finish(
      form,
      { answers = form_answers.collect(form.questions, form.answers) }
    )
  end
  complain(form, missing[1], ('not answered yet: %s'):format(names(form, missing)))
end

-- On the user's own text, `<Space>` unpicks it and `<CR>` changes it.
local function press(form, is_space)
  local item = here(form)
  if item.is_message then
    M.go_to(form, 1)
  elseif not item.question then
    submit(form)
  elseif item.choice then
    pick(form, item.question, item.choice)
  elseif not item.is_own then
    M.go_to(form, item.question)
  elseif is_space and form.answers[item.question].own ~= '' then
    pick_own(form, item.question, not form.answers[item.question].has_own)
  else
    type_own(form, item.question)
  end
end

-- The form says what is answered.
local function answer_instantly(form, index)
  local missing = reading.missing(form.reading)
  if missing then
    message.show(missing, 'info')
  elseif reading.is_noticed(form.reading) then
    form_answers.pick(form.questions[1], form.answers[1], index)
    form.actions.finish(form, { answers = form_answers.collect(form.questions, form.answers) })
  end
end

---@return claude_ide.ChatKey[]
local function list_instant(form)
  local keys, add = chat_keys.list()
  add('n', { '<CR>', '<2-LeftMouse>' }, 'form-press', 'Answer with this line', function()
    local index = here(form).choice
    if index then
      answer_instantly(form, index)
    end
  end, { shown = { '<CR>' } })
  for index, choice in ipairs(form.questions[1].choices) do
    add('n', { choice.key, tostring(index) }, 'form-choice-' .. index, choice.label, function()
      answer_instantly(form, index)
    end, { shown = { choice.key } })
  end
  add('n', { 'q', '<Esc>', '<C-c>' }, 'form-later', 'Answer later', function()
    form.actions.finish(form, { closed = true })
  end)
  add('n', { 'g?' }, 'form-keys', 'Show these keys', function()
    chat_keys.show(keys, {})
  end)
  return keys
end

---@return claude_ide.ChatKey[]
local function list(form)
  local keys, add = chat_keys.list()
  add('n', { '<CR>', '<2-LeftMouse>' }, 'form-press', 'Pick, type or submit', function()
    press(form, false)
  end, { shown = { '<CR>' } })
  add('n', { '<Space>' }, 'form-pick', 'Pick or unpick', function()
    press(form, true)
  end)
  local digits = { shown = { '1 … 9' } }
  for digit = 1, 9 do
    add('n', { tostring(digit) }, 'form-choice-' .. digit, 'Pick this choice', function()
      local number = here(form).question
      if number and form.questions[number].choices[digit] then
        pick(form, number, digit)
      end
    end, digits)
    digits = { shown = {} }
  end
  local typing = { 'i', 'a', 'I', 'A', 'o', 'O' }
  add('n', typing, 'form-type', 'Type an answer', function()
    local number = here(form).question
    if number and form_answers.is_open(form.questions[number]) then
      type_own(form, number)
    end
  end, { shown = { 'i' } })
  add('n', { '<Tab>' }, 'form-next', 'Next question', function()
    step(form, 1)
  end)
  add('n', { '<S-Tab>' }, 'form-previous', 'Previous question', function()
    step(form, -1)
  end)
  add('n', { '<C-s>' }, 'form-submit', 'Submit', function()
    submit(form)
  end)
  add('n', { 'q', '<Esc>' }, 'form-later', 'Answer later', function()
    form.actions.finish(form, { closed = true })
  end)
  add('n', { '<C-c>' }, 'form-decline', 'Decline to answer', function()
    form.actions.finish(form, { declined = true })
  end)
  add('n', { 'g?' }, 'form-keys', 'Show these keys', function()
    chat_keys.show(keys, {})
  end)
  return keys
end

--- Define the keys in a form's buffer.
---@param form claude_ide.Form
---@param actions claude_ide.FormActions
function M.define(form, actions)
  form.actions = actions
  chat_keys.define(form.bufnr, form.is_instant and list_instant(form) or list(form))
end

return M
