--- Text of the user's that has no other place any more: a buffer that holds it until it is saved.
local buffer_text = require('claude_ide.file.text')
local colouring = require('claude_ide.colouring')
local message = require('claude_ide.say.message')
local plain = require('claude_ide.say.plain')

local M = {}

-- The buffer has no file of its own: `:write` needs a name.
local function write(bufnr, name, path)
  if path == name then
    return message.show('this text has no file; `:w {file}` saves it', 'warn')
  end
  local reason = buffer_text.write(bufnr, path)
  if reason then
    return message.show(('cannot write %s'):format(reason), 'error')
  end
  vim.bo[bufnr].modified = false
end

local function new_buffer(tail)
  local bufnr = vim.api.nvim_create_buf(true, true)
  -- Begin and end are ours, as in the name of a proposal.
  local name = ('claude-ide://kept/%d/kept (%s)'):format(bufnr, tail)
  vim.api.nvim_buf_set_name(bufnr, name)
  vim.bo[bufnr].buftype = 'acwrite'
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    callback = function(event)
      write(bufnr, name, event.match)
    end,
  })
  return bufnr
end

--- Keep a text in a listed, modified buffer.
---@param name string what the text was for; a path counts by its last part
---@param text string
---@param what string subject and verb, such as "your edits are"
---@param filetype? string
---@return string line says so, and names the buffer
function M.keep(name, text, what, filetype)
  local tail = plain.one_line(vim.fs.basename(name))
  local bufnr = new_buffer(tail)
  buffer_text.put(bufnr, text)
  colouring.dress(bufnr, filetype or '')
  vim.bo[bufnr].modified = true
  return ('%s: %s kept in buffer %d'):format(tail, what, bufnr)
end

return M
