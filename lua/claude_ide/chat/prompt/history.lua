--- The prompts that were sent. Browsing them keeps the one that is being written.
local prompt_buffer = require('claude_ide.chat.prompt.buffer')

local M = {}

local api = vim.api

local LONGEST = 200 -- entries

---@class claude_ide.ChatHistory
---@field index integer the entry that the prompt shows; one past the last for a new prompt
---@field written table<integer, string[]> the entries as edited in this prompt, and the new prompt, by index

local entries = {} ---@type string[][] of all chats, oldest first

--- The history as a new chat sees it.
---@return claude_ide.ChatHistory
function M.new()
  return { index = #entries + 1, written = {} }
end

--- Add a prompt that was sent, and start a new one.
---@param history claude_ide.ChatHistory
---@param lines string[]
function M.add(history, lines)
  if not vim.deep_equal(entries[#entries], lines) then
    table.insert(entries, lines)
  end
  if #entries > LONGEST then
    table.remove(entries, 1)
  end
  history.index, history.written = #entries + 1, {}
end

--- Browse the history.
---@param history claude_ide.ChatHistory
---@param lines string[] the prompt's present lines
---@param count integer how many entries to move; negative for older ones
---@return string[]? lines the lines to show instead; nil if there is no such entry
function M.go(history, lines, count)
  local newest = #entries + 1
  -- Other chats may have added entries: the new prompt stays the last.
  if
    history.index > newest or (history.written[history.index] == nil and not entries[history.index])
  then
    history.index = newest
  end
  local target = math.max(1, math.min(history.index + count, newest))
  if target == history.index then
    return nil
  end
  history.written[history.index] = lines
  history.index = target
  return history.written[target] or entries[target] or { '' }
end

local function key(typed, direction)
  return function()
    local line = api.nvim_win_get_cursor(0)[1]
    local edge = direction < 0 and 1 or api.nvim_buf_line_count(0)
    if line ~= edge or vim.fn.pumvisible() == 1 then
      return typed
    end
    local call = '<Cmd>lua require("claude_ide.chat.prompt.history").browse(%d)<CR>'
    return call:format(direction)
  end
end

--- Add the keys that browse it, on the first and the last line, to those of a prompt.
---@param add fun(modes: string, keys: string[], name: string, desc: string, run: function, rest?: table)
function M.add_keys(add)
  local older, newer = key('<Up>', -1), key('<Down>', 1)
  add('ni', { '<Up>' }, 'older', 'Previous prompt (on the first line)', older, { expr = true })
  add('ni', { '<Down>' }, 'newer', 'Next prompt (on the last line)', newer, { expr = true })
end

--- Show another prompt of the history in the current buffer.
---@param direction -1|1
function M.browse(direction)
  local prompt = prompt_buffer.here()
  if not prompt then
    return
  end
  local bufnr = prompt.prompt
  local present = prompt_buffer.lines(bufnr)
  local lines = M.go(prompt.history, present, direction * vim.v.count1)
  if not lines then
    return
  end
  prompt_buffer.replace(bufnr, 0, -1, lines)
  if direction > 0 then
    prompt_buffer.go_to_end(bufnr)
  else
    -- On the first line, <Up> continues to older prompts.
    api.nvim_win_set_cursor(0, { 1, #lines[1] })
  end
end

return M
