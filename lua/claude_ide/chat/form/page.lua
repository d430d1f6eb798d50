--- The page of a form: its lines, their highlights, and the item that each line belongs to.
local form_answers = require('claude_ide.chat.form.answers')
local plain = require('claude_ide.say.plain')

local M = {}

---@class claude_ide.FormItem
---@field question? integer number; nil for the line that submits
---@field choice? integer index
---@field is_own? boolean whether this is the line for the user's own text

---@class claude_ide.FormPage
---@field lines string[]
---@field items claude_ide.FormItem[] by line
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

local function add_question(page, number, question)
  local header = plain.one_line(lines_of(question.header)[1])
  local lines = lines_of(question.text)
  lines[1] = (header ~= '' and header .. ': ' or '') .. lines[1]
  if question.multiple == true then
    lines[#lines] = lines[#lines] .. ' (any number)'
  end
  for _, line in ipairs(lines) do
    add(page, ' ' .. line, { question = number }, 'ClaudeFormQuestion')
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
  local own = answer.own == '' and 'something else…' or 'something else: ' .. answer.own
  local item = { question = number, is_own = true }
  add_choice(page, item, signs[answer.has_own], answer.has_own, plain.one_line(own))
end

--- Compose the page of a form.
---@param questions claude_ide.FormQuestion[]
---@param answers claude_ide.FormAnswer[]
---@return claude_ide.FormPage
function M.compose(questions, answers)
  local page = { lines = {}, items = {}, marks = {} }
  for number, question in ipairs(questions) do
    add_question(page, number, question)
    add_choices(page, number, question, answers[number])
    add(page, '', { question = number })
  end
  local missing = #form_answers.missing(answers)
  local remaining = missing > 0 and (' (%d unanswered)'):format(missing) or ''
  add(page, ' Submit' .. remaining, {}, 'ClaudeFormKeys', 1, #' Submit')
  return page
end

return M
