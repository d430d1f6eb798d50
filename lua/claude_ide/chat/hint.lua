--- Hints about the prompt. In Insert mode they also appear next to the text, because "-- INSERT --"
--- hides every message.
local message = require('claude_ide.say.message')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_chat_hint')
local SHOWN = 4000 -- milliseconds

--- Show a hint next to the cursor for some time, instead of the last one there.
---@param bufnr integer the prompt, in the current window
---@param text string
---@param milliseconds integer
function M.show_beside(bufnr, text, milliseconds)
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local mark = api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
    virt_text = { { text, 'ClaudeChatWarning' } },
    virt_text_pos = 'eol',
    hl_mode = 'combine',
  })
  vim.defer_fn(function()
    pcall(api.nvim_buf_del_extmark, bufnr, namespace, mark)
  end, milliseconds)
end

--- Show a hint.
---@param bufnr integer the prompt
---@param text string
---@param level 'info'|'warn'|'error'
function M.show(bufnr, text, level)
  message.show(text, level)
  if vim.o.showmode and vim.fn.mode():find('^[iR]') and api.nvim_get_current_buf() == bufnr then
    M.show_beside(bufnr, text, SHOWN)
  end
end

return M
