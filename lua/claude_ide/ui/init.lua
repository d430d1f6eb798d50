--- Asks the user, on behalf of the host, to choose from a list or to type one line.
local channel = require('claude_ide.channel')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local ui = require('claude_ide.ui.vim_ui')

local M = {}

---@type table<integer, table> by token: an identity for each question that waits for an answer
local pending = {}

---@type fun(token: integer, when: claude_ide.Gate, ask: fun(answer: fun(fields: table)))
local function begin(token, when, ask)
  local this = {}
  pending[token] = this
  local function answer(fields)
    if pending[token] == this then
      pending[token] = nil
      channel.emit('answered', vim.tbl_extend('error', { token = token }, fields))
    elseif next(fields) ~= nil then
      message.show('this question is no longer waiting for an answer', 'warn')
    end
  end
  when(function()
    if pending[token] == this then
      ask(answer)
    end
  end, function(reason)
    message.show(reason, 'error')
    answer({})
  end)
end

--- Let the user choose an item. Emits `answered` {token, index?}; without `index` if it is dismissed.
---@type fun(token: integer, prompt: string, items: string[])
function M.select(token, prompt, items)
  begin(token, moment.when_harmless, function(answer)
    ui.select(prompt, items, function(index)
      answer({ index = index })
    end)
  end)
end

--- The same for a question that the user does not expect: it waits until they neither type nor are in a
--- mode in which the next keys would answer it unread. The items are shown whole. Without a screen nobody can
--- answer, so it is dismissed.
---@type fun(token: integer, prompt: string, items: string[])
function M.select_later(token, prompt, items)
  if #vim.api.nvim_list_uis() == 0 then
    return channel.emit('answered', { token = token })
  end
  begin(token, moment.when_free, function(answer)
    ui.from_here(function(answered)
      ui.select(prompt, items, function(index)
        answered()
        answer({ index = index })
      end, true)
    end)
  end)
end

--- Let the user type a line. Emits `answered` {token, text?}; without `text` if it is dismissed.
---@type fun(token: integer, prompt: string, default: string)
function M.input(token, prompt, default)
  begin(token, moment.when_harmless, function(answer)
    ui.input(prompt, type(default) == 'string' and default or '', function(text)
      answer({ text = text })
    end, true)
  end)
end

--- Discard a question; one on the screen stays, and an answer to it is reported as too late.
---@param token integer
function M.close(token)
  pending[token] = nil
end

--- Discard all questions. Those on the screen stay: if they were closed, keys typed into them could
--- reach another window.
function M.close_all()
  pending = {}
end

return M
