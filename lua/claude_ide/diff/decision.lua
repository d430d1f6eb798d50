--- A buffer that decides something: writing it accepts, wiping it out rejects.
local buffer_text = require('claude_ide.file.text')
local command_buffer = require('claude_ide.file.command_buffer')
local message = require('claude_ide.messages.message')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_diff_decision', { clear = true })

---@class claude_ide.DecisionHandlers
---@field written fun() called in `BufWriteCmd` when the user, not an autosave, writes it
---@field wiped fun() called when it is wiped out, also after it was written
---@field text? fun(): string the text that `:edit!` restores, if it is another one by then

local function listen(bufnr, text, handlers)
  local is_explained = false
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = augroup, buffer = bufnr, callback = callback })
  end
  command_buffer.listen(bufnr, handlers.written, function()
    if not is_explained then
      is_explained = true
      message.show('a plugin wrote this, so nothing was accepted: type :w yourself', 'warn')
    end
  end)
  on('BufWipeout', handlers.wiped)
  -- `:edit!` restores the text.
  on('BufReadCmd', function()
    buffer_text.put(bufnr, handlers.text and handlers.text() or text)
  end)
  command_buffer.write_on_exit(bufnr)
  on('LspAttach', function(event)
    vim.schedule(function()
      if vim.api.nvim_buf_is_valid(bufnr) then
        vim.lsp.buf_detach_client(bufnr, event.data.client_id)
      end
    end)
  end)
end

--- Fill a buffer, which has its name already, with a text to decide on. It stays 'nomodifiable' until the
--- caller unlocks it.
---@param bufnr integer
---@param text string
---@param handlers claude_ide.DecisionHandlers
function M.fill(bufnr, text, handlers)
  local options = vim.bo[bufnr]
  options.buftype, options.bufhidden, options.swapfile = 'acwrite', 'wipe', false
  options.fileencoding = 'utf-8'
  buffer_text.put(bufnr, text)
  options.modifiable = false
  listen(bufnr, text, handlers)
  vim.keymap.set('n', 'ZZ', '<Cmd>write<CR>', { buffer = bufnr, desc = 'Accept' })
end

return M
