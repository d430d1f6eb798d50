--- Formatting by a language server that is attached to a buffer.
local unheard = require('claude_ide.window.unheard')
local window_close = require('claude_ide.window.close')

local M = {}

local METHOD = 'textDocument/formatting'

--- Milliseconds after which a server is given up.
M.answers_within = 10000

--- The formatter of a buffer, if a server that formats is attached.
---@param bufnr integer
---@return claude_ide.Formatter?
function M.find(bufnr)
  local client = vim.lsp.get_clients({ bufnr = bufnr, method = METHOD })[1]
  return client
    and {
      name = client.name,
      format = function(done)
        M.format(client, bufnr, done)
      end,
    }
end

-- What the edits make of the buffer's lines. They are applied to a copy, since many servers replace
-- all of the text, which would move every mark and cursor in the buffer itself.
local function edited(bufnr, edits, encoding)
  local copy = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(copy, 0, -1, true, vim.api.nvim_buf_get_lines(bufnr, 0, -1, true))
  local ok, err = pcall(vim.lsp.util.apply_text_edits, edits, copy, encoding)
  local lines = vim.api.nvim_buf_get_lines(copy, 0, -1, true)
  window_close.buffer(copy)
  if not ok then
    error(err, 0)
  end
  return lines
end

---@param client vim.lsp.Client
---@param bufnr integer
---@param done fun(err?: string, lines?: fun(): string[])
function M.format(client, bufnr, done)
  local request
  local timer = vim.defer_fn(function()
    client:cancel_request(request)
    done(('no answer within %g s'):format(M.answers_within / 1000))
  end, M.answers_within)
  local parameters = vim.api.nvim_buf_call(bufnr, vim.lsp.util.make_formatting_params)
  local sent
  sent, request = client:request(METHOD, parameters, function(err, edits)
    if timer:is_closing() then
      return
    end
    timer:close()
    done(err and err.message, function()
      return unheard.run('all', function()
        return edited(bufnr, edits or {}, client.offset_encoding)
      end)
    end)
  end, bufnr)
  if not sent then
    timer:close()
    done('it is shutting down')
  end
end

return M
