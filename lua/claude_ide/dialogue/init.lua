--- What the host asks in one line: to choose something, or to type something.
local channel = require('claude_ide.channel')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local ui = require('claude_ide.dialogue.vim_ui')

local M = {}

---@type table<integer, table> what waits for an answer, by token
local asked = {}

---@param token integer
---@param ask fun(answer: fun(fields: table))
local function begin(token, ask)
  local this = {}
  asked[token] = this
  local function answer(fields)
    if asked[token] == this then
      asked[token] = nil
      channel.emit('answered', vim.tbl_extend('error', { token = token }, fields))
    elseif next(fields) ~= nil then
      message.show('this question is no longer waiting for an answer', 'warn')
    end
  end
  moment.when_harmless(function()
    if asked[token] == this then
      ask(answer)
    end
  end, function(reason)
    message.show(reason, 'error')
    answer({})
  end)
end

--- Let the user choose; emits `answered` {token, index?}, without index when they do not.
---@param token integer
---@param prompt string
---@param items string[]
function M.select(token, prompt, items)
  begin(token, function(answer)
    ui.select(prompt, items, function(index)
      answer({ index = index })
    end)
  end)
end

--- Let the user type; emits `answered` {token, text?}, without text when they do not.
---@param token integer
---@param prompt string
---@param default string
function M.input(token, prompt, default)
  begin(token, function(answer)
    ui.input(prompt, type(default) == 'string' and default or '', function(text)
      answer({ text = text })
    end)
  end)
end

--- The answers are no longer needed. What is on the screen stays: closing it could send keys that
--- are typed into it elsewhere.
function M.close_all()
  asked = {}
end

return M
