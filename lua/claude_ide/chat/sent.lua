--- The prompts that were sent and have not begun. Their texts stay here until then, so that neither a dead
--- agent nor a dead host loses one, and the user can take them back from a host that hangs.
local chat_outage = require('claude_ide.chat.outage')
local chat_state = require('claude_ide.chat.state')

local M = {}

local LATE = 500 -- milliseconds after which a prompt is shown here, because the host has not shown it

---@class claude_ide.SentPrompt
---@field number integer
---@field text string
---@field is_claimed boolean whether the host is handing it to the agent
---@field is_shown boolean whether the host has shown it in the transcript
---@field is_late boolean whether the host should have shown it by now

local last = 0

---@param chat claude_ide.Chat
---@param number integer
---@return claude_ide.SentPrompt?
local function find(chat, number)
  return vim.iter(chat.sent):find(function(prompt)
    return prompt.number == number
  end)
end

-- Remove and return the prompts that fulfil a condition.
local function remove(chat, condition)
  local removed = vim.tbl_filter(condition, chat.sent)
  chat.sent = vim.tbl_filter(function(prompt)
    return not vim.list_contains(removed, prompt)
  end, chat.sent)
  chat_outage.update(chat)
  return removed
end

local function one_of(numbers)
  return function(prompt)
    return vim.list_contains(numbers, prompt.number)
  end
end

-- Show a prompt as soon as it is late, and report a host that does not react.
local function watch(chat, prompt)
  local function is_unshown()
    return not prompt.is_shown and find(chat, prompt.number) ~= nil
  end
  vim.defer_fn(function()
    if is_unshown() then
      prompt.is_late = true
      chat_outage.update(chat)
    end
  end, LATE)
  chat_outage.expect(chat, is_unshown)
end

--- Add a prompt that is being sent.
---@param chat claude_ide.Chat
---@param text string
---@return integer number by which the host names it; no other prompt of this Neovim has it
function M.add(chat, text)
  last = last + 1
  local prompt =
    { number = last, text = text, is_claimed = false, is_shown = false, is_late = false }
  table.insert(chat.sent, prompt)
  chat_outage.update(chat)
  watch(chat, prompt)
  return last
end

--- The transcript shows a prompt.
---@param id integer chat
---@param number integer
function M.shown(id, number)
  local chat = chat_state.get(id)
  local prompt = chat and find(chat, number)
  if chat and prompt then
    prompt.is_shown = true
    chat_outage.clear(chat)
  end
end

--- Claim a prompt for the agent: from now on the user cannot take it back without asking the agent.
---@param id integer chat
---@param number integer
---@return boolean is_claimed false if the user has taken it back
function M.claim(id, number)
  local chat = chat_state.get(id)
  local prompt = chat and find(chat, number)
  if not prompt then
    return false
  end
  prompt.is_claimed = true
  return true
end

--- Forget prompts: they have begun.
---@param id integer chat
---@param numbers integer[]
function M.forget(id, numbers)
  local chat = chat_state.get(id)
  if chat then
    remove(chat, one_of(numbers))
  end
end

--- Remove prompts, to return them to the user.
---@param chat claude_ide.Chat
---@param numbers? integer[] nil for all
---@return claude_ide.SentPrompt[]
function M.take(chat, numbers)
  return remove(chat, numbers and one_of(numbers) or function()
    return true
  end)
end

--- Remove the prompts that were not handed to the agent, to return them to the user.
---@param chat claude_ide.Chat
---@param numbers? integer[] only these
---@return claude_ide.SentPrompt[]
function M.take_unclaimed(chat, numbers)
  return remove(chat, function(prompt)
    return not prompt.is_claimed and (not numbers or one_of(numbers)(prompt))
  end)
end

--- The text of all prompts.
---@param chat claude_ide.Chat
---@return string
function M.text(chat)
  return M.join(chat.sent)
end

---@param prompts claude_ide.SentPrompt[]
---@return string
function M.join(prompts)
  return table.concat(
    vim.tbl_map(function(prompt)
      return prompt.text
    end, prompts),
    '\n'
  )
end

return M
