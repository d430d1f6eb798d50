--- Buffers that keep text which would otherwise be lost, until the user saves it.
local buffer_text = require('claude_ide.file.text')
local colouring = require('claude_ide.colouring')
local command_buffer = require('claude_ide.file.command_buffer')
local label = require('claude_ide.window.label')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_file_kept', { clear = true })

-- The buffer has no file, so `:write` needs a name.
local function write(bufnr, is_unnamed, path)
  if is_unnamed then
    message.show('this text has no file; `:w {file}` saves it', 'warn')
  elseif command_buffer.write_copy(bufnr, path) then
    vim.bo[bufnr].modified = false
  end
end

local function new_buffer(tail)
  local bufnr = vim.api.nvim_create_buf(true, true)
  -- The prefix and the suffix keep plugins from writing this buffer: no pattern such as `*.gpg` matches.
  label.give(bufnr, 'claude-kept', ('Kept (%s)'):format(tail))
  local name = vim.fn.bufname(bufnr)
  vim.bo[bufnr].buftype = 'acwrite'
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    group = augroup,
    buffer = bufnr,
    callback = function(event)
      write(bufnr, event.file == name, event.match)
    end,
  })
  return bufnr
end

--- Keep a text in a listed, modified buffer.
---@param name string what the text was for; only the last part of a path is shown
---@param text string
---@param what string subject and verb, such as "your edits are"
---@param filetype? string
---@return string line a message that names the buffer
function M.keep(name, text, what, filetype)
  local tail = plain.one_line(vim.fs.basename(name))
  local bufnr = new_buffer(tail)
  buffer_text.put(bufnr, text)
  colouring.set_filetype(bufnr, filetype or '')
  vim.bo[bufnr].modified = true
  return ('%s: %s kept in buffer %d'):format(tail, what, bufnr)
end

--- Keep the user's edits of a proposal that is being withdrawn, if there are any.
---@param bufnr integer the buffer of the proposal
---@param proposed string
---@param name string as for `keep`
function M.keep_edits(bufnr, proposed, name)
  local ok, text = pcall(buffer_text.get, bufnr)
  if ok and text ~= proposed then
    message.show(M.keep(name, text, 'your edits are', vim.bo[bufnr].filetype), 'warn')
  end
end

return M
