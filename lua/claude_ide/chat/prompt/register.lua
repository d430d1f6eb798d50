--- The buffers in which prompts are written: those of chats, and that of `:ClaudePrompt`.
local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_chat_prompt_register', { clear = true })

---@class claude_ide.PromptBuffer
---@field prompt integer buffer
---@field history claude_ide.ChatHistory
---@field options { root: string } the folder to whose files mentions are relative
---@field offer { commands: claude_ide.ChatCommand[] }

local prompts = {} ---@type table<integer, claude_ide.PromptBuffer> by buffer

--- Add a prompt whose buffer has been created.
---@param prompt claude_ide.PromptBuffer
function M.add(prompt)
  local bufnr = prompt.prompt
  prompts[bufnr] = prompt
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      prompts[bufnr] = nil
    end,
  })
end

--- The prompt of the current buffer.
---@return claude_ide.PromptBuffer?
function M.here()
  return prompts[vim.api.nvim_get_current_buf()]
end

return M
