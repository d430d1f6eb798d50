--- Formats with the language servers that are attached to a buffer.
local time_limit = require('claude_ide.when.time_limit')
local without_events = require('claude_ide.say.without_events')
local window_close = require('claude_ide.window.close')

local M = {}

local METHOD = 'textDocument/formatting'

--- Milliseconds after which the request to a server is cancelled.
M.answers_within = 10000

--- The servers that can format a buffer, in the order of `vim.lsp.buf.format()`.
---@param bufnr integer
---@return claude_ide.Formatter[]
function M.find(bufnr)
  -- none-ls reports its capabilities for the current buffer, even if asked about another one.
  local clients = vim.api.nvim_buf_call(bufnr, function()
    return vim.lsp.get_clients({ bufnr = bufnr, method = METHOD })
  end)
  return vim.tbl_map(function(client)
    return {
      name = client.name,
      format = function(done)
        return M.format(client, bufnr, done)
      end,
    }
  end, clients)
end

local function edit_copy(lines, edits, encoding)
  local copy = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(copy, 0, -1, true, lines)
  local ok, err = pcall(vim.lsp.util.apply_text_edits, edits, copy, encoding)
  local edited = vim.api.nvim_buf_get_lines(copy, 0, -1, true)
  window_close.buffer(copy)
  if not ok then
    error(err, 0)
  end
  return edited
end

--- The lines of a text after a server's edits. They are applied to a copy, since many servers replace the
--- whole text, which would move all marks and cursors in the buffer itself.
---@param lines string[]
---@param edits lsp.TextEdit[]
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return string[]
function M.edited(lines, edits, encoding)
  return without_events.run('all', function()
    return edit_copy(lines, edits, encoding)
  end) --[[@as string[] ]]
end

--- Request the edits of a loaded buffer from a server.
---@param client vim.lsp.Client
---@param bufnr integer
---@param done fun(err?: string, lines?: fun(): string[])
---@return fun() stop
function M.format(client, bufnr, done)
  local request ---@type integer?
  local answer, stop = time_limit.new(M.answers_within, done, function()
    if request then
      client:cancel_request(request)
    end
    return ('no answer within %g s'):format(M.answers_within / 1000)
  end)
  local parameters = vim.api.nvim_buf_call(bufnr, vim.lsp.util.make_formatting_params)
  local ok, sent, id = pcall(client.request, client, METHOD, parameters, function(err, edits)
    answer(err and err.message, function()
      local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
      return M.edited(lines, edits or {}, client.offset_encoding)
    end)
  end, bufnr)
  request = ok and sent and id or nil
  if not ok then
    answer(tostring(sent))
  elseif not sent then
    answer('it is shutting down')
  end
  return stop
end

return M
