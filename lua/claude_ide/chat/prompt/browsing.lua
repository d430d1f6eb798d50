--- `<Up>` and `<Down>` in a prompt: on its first and last line they browse the history.
local chat_history = require('claude_ide.chat.prompt.history')
local prompt_text = require('claude_ide.chat.prompt.text')
local register = require('claude_ide.chat.prompt.register')

local M = {}

local api = vim.api

local function key(typed, direction)
  return function()
    local line = api.nvim_win_get_cursor(0)[1]
    local edge = direction < 0 and 1 or api.nvim_buf_line_count(0)
    if line ~= edge or vim.fn.pumvisible() == 1 then
      return typed
    end
    local call = '<Cmd>lua require("claude_ide.chat.prompt.browsing").browse(%d)<CR>'
    return call:format(direction)
  end
end

--- Add the keys to those of a prompt.
---@param add fun(modes: string, keys: string[], name: string, desc: string, run: function, rest?: table)
function M.add(add)
  local older, newer = key('<Up>', -1), key('<Down>', 1)
  add('ni', { '<Up>' }, 'older', 'Previous prompt (on the first line)', older, { expr = true })
  add('ni', { '<Down>' }, 'newer', 'Next prompt (on the last line)', newer, { expr = true })
end

--- Show another prompt of the history in the current buffer.
---@param direction -1|1
function M.browse(direction)
  local prompt = register.here()
  if not prompt then
    return
  end
  local bufnr = prompt.prompt
  local present = prompt_text.lines(bufnr)
  local lines = chat_history.go(prompt.history, present, direction * vim.v.count1)
  if not lines then
    return
  end
  prompt_text.replace(bufnr, 0, -1, lines)
  if direction > 0 then
    prompt_text.go_to_end(bufnr)
  else
    -- On the first line, <Up> continues to older prompts.
    api.nvim_win_set_cursor(0, { 1, #lines[1] })
  end
end

return M
