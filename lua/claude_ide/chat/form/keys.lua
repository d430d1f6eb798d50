--- The keys of a form, which pick choices or ask for other words.
local form_answers = require('claude_ide.chat.form.answers')
local message = require('claude_ide.say.message')
local ui = require('claude_ide.dialogue.vim_ui')

local M = {}

local api = vim.api

---@class claude_ide.FormActions
---@field draw fun(form: claude_ide.Form)
---@field finish fun(form: claude_ide.Form, fields: table) emits the fields as the answer, and closes the form
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
    if item.question == number and (not number or item.choice or item.is_own) then
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

-- After a choice, move on if the question takes only one.
local function on_picked(form, number)
  form.actions.draw(form)
  if form.questions[number].multiple ~= true then
    M.go_to(form, form.questions[number + 1] and number + 1 or nil)
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

-- On the user's own text, `<Space>` unpicks it and `<CR>` changes it.
local function press(form, is_space)
  local item = here(form)
  if not item.question then
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
