--- `:ClaudeShare`: whether the selection may leave Neovim.
local announce = require('claude_ide.messages.announce')
local message = require('claude_ide.messages.message')
local selection = require('claude_ide.selection')

local M = {}

local WORDS = { 'off', 'on', 'toggle' }

---@param lead string
---@return string[]
function M.complete(lead)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, WORDS)
end

--- Carry out `:ClaudeShare [off|on|toggle]`; without a word, show the state.
---@param word string
function M.run(word)
  if word ~= '' and not vim.list_contains(WORDS, word) then
    return message.show(('not off, on or toggle: %s'):format(word), 'error')
  elseif word ~= '' then
    local was_shared = selection.is_shared()
    local is_shared = word == 'on' or word == 'toggle' and not was_shared
    selection.share(is_shared)
    if is_shared ~= was_shared then
      announce.event('ClaudeShared', { shared = is_shared })
    end
  end
  local is_shared = selection.is_shared()
  message.show(is_shared and 'the selection is shared' or 'the selection stays in Neovim', 'info')
end

return M
