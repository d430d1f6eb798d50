--- Formats with the language servers that are attached to a buffer.
local checkpoint = require('claude_ide.format.checkpoint')
local without_events = require('claude_ide.messages.without_events')
local window_close = require('claude_ide.window.close')

local M = {}

local METHOD = 'textDocument/formatting'

--- The servers that can format a buffer, in the order of `vim.lsp.buf.format()`.
---@param bufnr integer
---@return claude_ide.Formatter[]
function M.find(bufnr)
  -- none-ls reports its capabilities for the current buffer, even if asked about another one.
  local clients = vim.api.nvim_buf_call(bufnr, function()
    return vim.lsp.get_clients({ bufnr = bufnr, method = METHOD })
  end)
  return vim.tbl_map(function(client)
    return { kind = 'server', name = client.name, id = client.id }
  end, clients)
end

local function edit_copy(lines, edits, encoding)
  local copy = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(copy, 0, -1, true, lines)
  local ok, err = pcall(vim.lsp.util.apply_text_edits, edits, copy, encoding)
  local edited = checkpoint.lines(copy)
  window_close.buffer(copy)
  if not ok then
    error(err, 0)
  end
  return edited
end

-- The lines of a text after a server's edits. They are applied to a copy, since many servers replace all the
-- text, which would move the marks and cursors in the buffer itself.
local function edited(lines, edits, encoding)
  return without_events.run('all', function()
    return edit_copy(lines, edits, encoding)
  end)
end

--- Request the edits of a loaded buffer from a server.
---@param bufnr integer
---@param formatter claude_ide.Formatter
---@param done claude_ide.FormatDone
---@return fun() stop
function M.format(bufnr, formatter, done)
  local client = assert(vim.lsp.get_client_by_id(formatter.id), 'it has stopped')
  local lines = checkpoint.lines(bufnr)
  local parameters = vim.api.nvim_buf_call(bufnr, vim.lsp.util.make_formatting_params)
  local sent, request = client:request(METHOD, parameters, function(err, edits)
    local ok, result = pcall(edited, lines, not err and edits or {}, client.offset_encoding)
    done({ error = err and err.message or not ok and result or nil }, ok and result or lines)
  end, bufnr)
  if not sent then
    error('it is shutting down', 0)
  end
  return function()
    client:cancel_request(request)
  end
end

return M
