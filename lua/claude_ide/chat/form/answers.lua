--- The user's answers to the questions of a form so far.
local M = {}

---@class claude_ide.FormChoice
---@field label string
---@field description? string

---@class claude_ide.FormQuestion
---@field text string
---@field header? string
---@field choices claude_ide.FormChoice[]
---@field multiple? boolean whether more than one may be chosen

---@class claude_ide.FormAnswer
---@field picked table<integer, true> by index of the choice
---@field own string what the user has typed instead of a choice
---@field has_own boolean whether that is picked

--- An empty answer for each question.
---@param questions claude_ide.FormQuestion[]
---@return claude_ide.FormAnswer[]
function M.empty(questions)
  return vim.tbl_map(function()
    return { picked = {}, own = '', has_own = false }
  end, questions)
end

--- Pick a choice. If a question allows several, a picked one is unpicked instead.
---@param question claude_ide.FormQuestion
---@param answer claude_ide.FormAnswer
---@param index integer
function M.pick(question, answer, index)
  if question.multiple == true then
    answer.picked[index] = not answer.picked[index] or nil
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

--- The numbers of the questions without an answer.
---@param answers claude_ide.FormAnswer[]
---@return integer[]
function M.missing(answers)
  local numbers = {}
  for number, answer in ipairs(answers) do
    if not M.is_answered(answer) then
      table.insert(numbers, number)
    end
  end
  return numbers
end

local function chosen(question, answer)
  local labels = {}
  for index, choice in ipairs(question.choices) do
    if answer.picked[index] then
      table.insert(labels, choice.label)
    end
  end
  if answer.has_own then
    table.insert(labels, answer.own)
  end
  return labels
end

--- The answers as the host gets them: the labels chosen for each question.
---@param questions claude_ide.FormQuestion[]
---@param answers claude_ide.FormAnswer[]
---@return { question: string, chosen: string[] }[]
function M.collect(questions, answers)
  local collected = {}
  for number, question in ipairs(questions) do
    collected[number] = { question = question.text, chosen = chosen(question, answers[number]) }
  end
  return collected
end

return M
