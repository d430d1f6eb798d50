--- The page of a form: its lines, their highlights, and the item that each line belongs to.
local form_answers = require('claude_ide.chat.form.answers')
local plain = require('claude_ide.say.plain')

local M = {}

---@class claude_ide.FormItem
---@field question? integer number; nil for the line that submits, and in the message
---@field is_message? boolean
---@field choice? integer index
---@field is_own? boolean whether this is the line for the user's own text

---@class claude_ide.FormPage
---@field lines string[]
---@field items claude_ide.FormItem[] by line
---@field wrong integer how many answers are not valid
---@field marks { [1]: integer, [2]: integer, [3]: integer, [4]: string }[] row (0-based), columns, group

local INDENT = (' '):rep(9)
local SIGNS = {
  [true] = { [true] = '[x]', [false] = '[ ]' },
  [false] = { [true] = '(•)', [false] = '( )' },
}

local function lines_of(text)
  return type(text) == 'string' and vim.split(vim.trim(text), '%s*\n') or { '' }
end

---@param page claude_ide.FormPage
---@param line string
---@param item claude_ide.FormItem
---@param group? string
---@param first? integer first column of the highlight; default: 0
---@param last? integer its end; default: that of the line
local function add(page, line, item, group, first, last)
  line = plain.harmless(line)
  table.insert(page.lines, line)
  table.insert(page.items, item)
  if group then
    table.insert(page.marks, { #page.lines - 1, first or 0, last or #line, group })
  end
end

local function note_of(question)
  local notes = {}
  if question.multiple == true then
    table.insert(notes, 'any number')
  end
  if question.required == false then
    table.insert(notes, 'optional')
  end
  return #notes > 0 and (' (%s)'):format(table.concat(notes, ', ')) or ''
end

local function add_question(page, number, question)
  local header = plain.one_line(lines_of(question.header)[1])
  local lines = lines_of(question.text)
  lines[1] = (header ~= '' and header .. ': ' or '') .. lines[1]
  lines[#lines] = lines[#lines] .. note_of(question)
  for _, line in ipairs(lines) do
    add(page, ' ' .. line, { question = number }, 'ClaudeFormQuestion')
  end
  if (question.hint or '') ~= '' then
    add(page, '   ' .. question.hint, { question = number }, 'ClaudeFormDescription')
  end
end

local function add_choice(page, item, sign, is_picked, label)
  local key = item.choice and item.choice < 10 and ('%d '):format(item.choice) or '  '
  local group = is_picked and 'ClaudeFormPicked' or 'ClaudeFormChoice'
  local before = ('   %s '):format(sign)
  add(page, before .. key .. label, item, group)
  if item.choice then
    table.insert(page.marks, { #page.lines - 1, #before, #before + 1, 'ClaudeFormKeys' })
  end
end

local function add_choices(page, number, question, answer)
  local signs = SIGNS[question.multiple == true]
  for index, choice in ipairs(question.choices) do
    local item = { question = number, choice = index }
    local is_picked = answer.picked[index] == true
    add_choice(page, item, signs[is_picked], is_picked, plain.one_line(choice.label))
    for _, line in ipairs(lines_of(choice.description)) do
      if line ~= '' then
        add(page, INDENT .. line, item, 'ClaudeFormDescription')
      end
    end
  end
end

-- The line for the user's own text.
local function add_own(page, number, question, answer)
  local item = { question = number, is_own = true }
  if #question.choices == 0 then
    local group = answer.has_own and 'ClaudeFormPicked' or 'ClaudeFormChoice'
    local own = answer.own == '' and 'type an answer…' or answer.own
    return add(page, ('   ▸ %s'):format(plain.one_line(own)), item, group)
  end
  local sign = SIGNS[question.multiple == true][answer.has_own]
  local own = answer.own == '' and 'something else…' or 'something else: ' .. answer.own
  add_choice(page, item, sign, answer.has_own, plain.one_line(own))
end

local function add_problem(page, number, question, answer)
  local problem = form_answers.problem(question, answer)
  if problem then
    page.wrong = page.wrong + 1
    add(page, '     ✗ expected: ' .. problem, { question = number }, 'ClaudeFormError')
  end
end

local function remaining(missing, wrong)
  local notes = {}
  if missing > 0 then
    table.insert(notes, ('%d unanswered'):format(missing))
  end
  if wrong > 0 then
    table.insert(notes, ('%d not valid'):format(wrong))
  end
  return #notes > 0 and (' (%s)'):format(table.concat(notes, ', ')) or ''
end

local function add_message(page, message)
  for _, line in ipairs(lines_of(message)) do
    if #page.lines > 0 or line ~= '' then
      add(page, ' ' .. line, { is_message = true }, 'ClaudeFormChoice')
    end
  end
  if #page.lines > 0 then
    add(page, '', { is_message = true })
  end
end

local function add_key(page, index, choice)
  local item = { question = 1, choice = index }
  add(page, ('   %s  %s'):format(choice.key, plain.one_line(choice.label)), item)
  table.insert(page.marks, { #page.lines - 1, 3, 3 + #choice.key, 'ClaudeFormKeys' })
end

--- Compose the page of a form.
---@param form claude_ide.Form
---@return claude_ide.FormPage
function M.compose(form)
  local page = { lines = {}, items = {}, marks = {}, wrong = 0 }
  add_message(page, form.message)
  if form.is_instant then
    for index, choice in ipairs(form.questions[1].choices) do
      add_key(page, index, choice)
    end
    return page
  end
  for number, question in ipairs(form.questions) do
    local answer = form.answers[number]
    add_question(page, number, question)
    add_choices(page, number, question, answer)
    if form_answers.is_open(question) then
      add_own(page, number, question, answer)
    end
    add_problem(page, number, question, answer)
    add(page, '', { question = number })
  end
  local missing = #form_answers.missing(form.questions, form.answers)
  add(page, ' Submit' .. remaining(missing, page.wrong), {}, 'ClaudeFormKeys', 1, #' Submit')
  return page
end

return M
