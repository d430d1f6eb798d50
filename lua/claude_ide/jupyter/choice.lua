--- A choice that an agent's request makes necessary: it waits until the user can be taken elsewhere.
local channel = require('claude_ide.channel')
local ui = require('claude_ide.ui.vim_ui')
local waiting = require('claude_ide.diff.waiting')

local M = {}

---@type table<integer, fun()> by token: stops waiting
local pending = {}

local function answer(token, index)
  if pending[token] then
    pending[token] = nil
    channel.emit('answered', { token = token, index = index })
  end
end

--- Let the user choose an item. Emits `answered` {token, index?}; without `index` if it is dismissed.
---@param token integer
---@param prompt string
---@param items string[]
function M.open(token, prompt, items)
  pending[token] = waiting.when_free('choice of a Jupyter kernel', function()
    ui.from_here(function(answered)
      ui.select(prompt, items, function(index)
        answered()
        answer(token, index)
      end)
    end)
  end, function()
    answer(token)
  end)
end

--- Discard a question. One on the screen stays: keys typed for it could reach another window.
---@param token integer
function M.close(token)
  local cancel = pending[token]
  pending[token] = nil
  if cancel then
    cancel()
  end
end

--- Discard all questions.
function M.close_all()
  vim.iter(vim.tbl_keys(pending)):each(M.close)
end

return M
