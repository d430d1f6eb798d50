--- The keys of a form: each question is answered by picking choices, or in other words.
local form_answers = require('claude_ide.chat.form.answers')
local message = require('claude_ide.say.message')
local ui = require('claude_ide.dialogue.vim_ui')

local M = {}

local api = vim.api

---@class claude_ide.FormActions
---@field draw fun(form: claude_ide.Form)
---@field finish fun(form: claude_ide.Form, fields: table) answers with these fields
---@field is_waiting fun(): boolean whether it still waits for an answer

---@return claude_ide.FormPlace
local function here(form)
  return form.page.places[api.nvim_win_get_cursor(form.win)[1]]
end

--- Go to where a question begins to be answered; behind the last one is the line that submits.
---@param form claude_ide.Form
---@param number? integer of the question
function M.go_to(form, number)
  for row, at in ipairs(form.page.places) do
    if at.question == number and (not number or at.choice or at.is_own) then
      return api.nvim_win_set_cursor(form.win, { row, 0 })
    end
  end
end

local function step(form, direction)
  local count = #form.questions + 1
  local number = here(form).question or count
  number = (number - 1 + direction) % count + 1
  M.go_to(form, form.questions[number] and number or nil)
end

-- A question that takes one answer has it now.
local function picked(form, number)
  form.actions.draw(form)
  if form.questions[number].multiple ~= true then
    M.go_to(form, form.questions[number + 1] and number + 1 or nil)
  end
end

local function pick(form, number, index)
  form_answers.pick(form.questions[number], form.answers[number], index)
  picked(form, number)
end

local function pick_own(form, number, has_own)
  form_answers.pick_own(form.questions[number], form.answers[number], has_own)
  if has_own then
    picked(form, number)
  else
    form.actions.draw(form)
  end
end

local function type_own(form, number)
  local given = form.answers[number]
  ui.input('Something else: ', given.own, function(text)
    if not text or not form.actions.is_waiting() then
      return
    end
    given.own = vim.trim(text)
    pick_own(form, number, given.own ~= '')
  end)
end

local function name(question)
  local header = type(question.header) == 'string' and question.header or ''
  return header ~= '' and header or question.text
end

local function submit(form)
  local missing = form_answers.missing(form.answers)
  if #missing == 0 then
    return form.actions.finish(
      form,
      { answers = form_answers.collect(form.questions, form.answers) }
    )
  end
  M.go_to(form, missing[1])
  local names = vim.tbl_map(function(number)
    return name(form.questions[number])
  end, missing)
  message.show(('not answered yet: %s'):format(table.concat(names, ', ')), 'warn')
end

-- `<Space>` takes back what was typed, `<CR>` changes it.
local function press(form, is_space)
  local at = here(form)
  if not at.question then
    submit(form)
  elseif at.choice then
    pick(form, at.question, at.choice)
  elseif not at.is_own then
    M.go_to(form, at.question)
  elseif is_space and form.answers[at.question].own ~= '' then
    pick_own(form, at.question, not form.answers[at.question].has_own)
  else
    type_own(form, at.question)
  end
end

--- Define the keys in a form's buffer.
---@param form claude_ide.Form
---@param actions claude_ide.FormActions
function M.define(form, actions)
  form.actions = actions
  local function on(keys, desc, run)
    for _, key in ipairs(keys) do
      vim.keymap.set('n', key, run, { buffer = form.bufnr, nowait = true, desc = desc })
    end
  end
  on({ '<CR>', '<2-LeftMouse>' }, 'Pick, type or submit', function()
    press(form, false)
  end)
  on({ '<Space>' }, 'Pick or unpick', function()
    press(form, true)
  end)
  on({ 'i', 'a', 'I', 'A', 'o', 'O' }, 'Type an answer', function()
    local number = here(form).question
    if number then
      type_own(form, number)
    end
  end)
  for digit = 1, 9 do
    on({ tostring(digit) }, ('Pick choice %d'):format(digit), function()
      local number = here(form).question
      if number and form.questions[number].choices[digit] then
        pick(form, number, digit)
      end
    end)
  end
  on({ '<Tab>' }, 'Next question', function()
    step(form, 1)
  end)
  on({ '<S-Tab>' }, 'Previous question', function()
    step(form, -1)
  end)
  on({ '<C-s>' }, 'Submit', function()
    submit(form)
  end)
  on({ 'q', '<Esc>' }, 'Answer later', function()
    form.actions.finish(form, { closed = true })
  end)
  on({ '<C-c>' }, 'Decline to answer', function()
    form.actions.finish(form, { declined = true })
  end)
end

return M
