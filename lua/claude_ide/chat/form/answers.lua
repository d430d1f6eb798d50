--- The user's answers to the questions of a form so far.
local checks = require('claude_ide.chat.form.checks')

local M = {}

---@class claude_ide.FormChoice
---@field label string
---@field description? string
---@field value? string what the host gets; default: the label
---@field key? string picks it, in an instant form

---@class claude_ide.FormQuestion
---@field key? string names the answer; default: the text
---@field text string
---@field header? string
---@field choices claude_ide.FormChoice[]
---@field multiple? boolean whether more than one may be chosen
---@field is_open? boolean whether the user may type an answer; default: true
---@field required? boolean default: true
---@field hint? string which answers are valid
---@field input? claude_ide.FormInput the format of a typed answer; default: 'text'
---@field expects? string the name of that format, for a message
---@field least? number of a number, of a text's characters, or of the choices
---@field most? number
---@field picked? string[] the values that are picked in advance
---@field own? string the text that is typed in advance

---@class claude_ide.FormAnswer
---@field picked table<integer, true> by index of the choice
---@field own string what the user has typed instead of a choice
---@field has_own boolean whether that is picked

---@param choice claude_ide.FormChoice
---@return string
local function value_of(choice)
  return choice.value or choice.label
end

--- Whether the user may type an answer.
---@param question claude_ide.FormQuestion
---@return boolean
function M.is_open(question)
  return question.is_open ~= false
end

---@param question claude_ide.FormQuestion
---@return claude_ide.FormAnswer
local function in_advance(question)
  local answer = { picked = {}, own = question.own or '', has_own = question.own ~= nil }
  for index, choice in ipairs(question.choices) do
    if vim.list_contains(question.picked or {}, value_of(choice)) then
      answer.picked[index] = true
    end
  end
  return answer
end

--- The answer to each question before the user has changed anything.
---@param questions claude_ide.FormQuestion[]
---@return claude_ide.FormAnswer[]
function M.initial(questions)
  return vim.tbl_map(in_advance, questions)
end

--- Pick a choice. A picked one is unpicked instead if the question allows several choices, or none.
---@param question claude_ide.FormQuestion
---@param answer claude_ide.FormAnswer
---@param index integer
function M.pick(question, answer, index)
  if question.multiple == true then
    answer.picked[index] = not answer.picked[index] or nil
  elseif question.required == false and answer.picked[index] then
    answer.picked = {}
  else
    answer.picked, answer.has_own = { [index] = true }, false
  end
end

--- Pick or unpick what the user has typed.
---@param question claude_ide.FormQuestion
---@param answer claude_ide.FormAnswer
---@param has_own boolean
function M.pick_own(question, answer, has_own)
  answer.has_own = has_own
  if has_own and question.multiple ~= true then
    answer.picked = {}
  end
end

--- Whether anything is picked.
---@param answer claude_ide.FormAnswer
---@return boolean
function M.is_answered(answer)
  return answer.has_own or next(answer.picked) ~= nil
end

--- The numbers of the questions that need an answer and have none.
---@param questions claude_ide.FormQuestion[]
---@param answers claude_ide.FormAnswer[]
---@return integer[]
function M.missing(questions, answers)
  local numbers = {}
  for number, answer in ipairs(answers) do
    if questions[number].required ~= false and not M.is_answered(answer) then
      table.insert(numbers, number)
    end
  end
  return numbers
end

--- Why an answer is not valid; nil if it is, or if there is none.
---@param question claude_ide.FormQuestion
---@param answer claude_ide.FormAnswer
---@return string? problem
function M.problem(question, answer)
  if question.multiple == true then
    local count = vim.tbl_count(answer.picked) + (answer.has_own and 1 or 0)
    return count > 0 and checks.count(question, count) or nil
  end
  return answer.has_own and checks.text(question, answer.own) or nil
end

--- The texts that the user has typed, with the questions; empty if there are none.
---@param questions claude_ide.FormQuestion[]
---@param answers claude_ide.FormAnswer[]
---@return string
function M.typed(questions, answers)
  local lines = {}
  for number, question in ipairs(questions) do
    local own = answers[number].own
    if own ~= '' and own ~= question.own then
      table.insert(lines, ('%s: %s'):format(question.text:match('^[^\n]*'), own))
    end
  end
  return table.concat(lines, '\n')
end

local function chosen(question, answer)
  local values = {}
  for index, choice in ipairs(question.choices) do
    if answer.picked[index] then
      table.insert(values, value_of(choice))
    end
  end
  if answer.has_own then
    table.insert(values, answer.own)
  end
  return values
end

--- The answers as the host gets them: the values chosen for each question.
---@param questions claude_ide.FormQuestion[]
---@param answers claude_ide.FormAnswer[]
---@return { question: string, chosen: string[] }[]
function M.collect(questions, answers)
  local collected = {}
  for number, question in ipairs(questions) do
    local values = chosen(question, answers[number])
    collected[number] = { question = question.key or question.text, chosen = values }
  end
  return collected
end

return M
