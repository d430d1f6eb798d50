--- Notifies language servers that a buffer has been updated from its file, and pulls diagnostics.
local private_api = require('claude_ide.private_api')
local recent = require('claude_ide.window.recent')

local M = {}

local PULL = 'textDocument/diagnostic'
local MOST_DEPENDENTS = 20

-- The text as Neovim sends it, which may differ from the text on disk (`file/text.lua`): there is no byte
-- order mark, and 'fixendofline' adds no line end.
local function text_of(bufnr)
  local ending = ({ dos = '\r\n', mac = '\r' })[vim.bo[bufnr].fileformat] or '\n'
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), ending)
  return vim.bo[bufnr].endofline and text .. ending or text
end

-- Neovim delays changes for 150 ms, but sends them before any other notification. A server that is not
-- notified of saves gets one that tells it nothing new.
local function report(client, bufnr)
  local sync = client.server_capabilities.textDocumentSync
  local save = type(sync) == 'table' and sync.save
  if not save or save == vim.NIL then
    client:notify('$/setTrace', { value = client.config.trace or 'off' })
    return
  end
  -- The text is optional. It is omitted if the buffer has unsaved changes, and so differs from the file.
  local is_wanted = type(save) == 'table' and save.includeText == true
  client:notify('textDocument/didSave', {
    textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    text = is_wanted and not vim.bo[bufnr].modified and text_of(bufnr) or nil,
  })
end

-- Neovim 0.11 fires `LspNotify` for the current buffer, whichever has changed. Without this, the inlay hints
-- of any other buffer would stay at their old places, next to the new text.
local function refresh_looks(client, bufnr)
  if vim.fn.has('nvim-0.12') == 1 or bufnr == vim.api.nvim_get_current_buf() then
    return
  end
  vim.api.nvim_exec_autocmds('LspNotify', {
    buffer = bufnr,
    modeline = false,
    data = {
      client_id = client.id,
      method = 'textDocument/didChange',
      params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } },
    },
  })
end

--- The clients of language servers. Neovim loads what they need, which takes 5 ms, with the first of them.
---@param filter vim.lsp.get_clients.Filter
---@return vim.lsp.Client[]
function M.clients(filter)
  return package.loaded['vim.lsp'] and vim.lsp.get_clients(filter) or {}
end

--- Send a buffer's pending changes to its servers without delay, and then that its file was saved.
---@param bufnr integer
function M.report(bufnr)
  for _, client in ipairs(M.clients({ bufnr = bufnr })) do
    report(client, bufnr)
    refresh_looks(client, bufnr)
  end
end

--- Whether a client has to be asked for diagnostics.
---@param client vim.lsp.Client
---@param bufnr integer
---@return boolean
function M.is_pulled(client, bufnr)
  return client:supports_method(PULL, bufnr)
end

--- The latest request for diagnostics that a client has not answered yet; 0 if there is none.
---@param client vim.lsp.Client
---@param bufnr? integer nil for any
---@return integer id
function M.latest_pull(client, bufnr)
  local latest = 0
  for id, request in pairs(client.requests) do
    local is_pull = request.type == 'pending' and request.method == PULL
    if is_pull and (not bufnr or request.bufnr == bufnr) then
      latest = math.max(latest, id)
    end
  end
  return latest
end

-- The request has no id of an earlier result, so the answer is complete. Neovim stores it.
local function request(client, bufnr, providers)
  for _, provider in ipairs(#providers > 0 and providers or { {} }) do
    client:request(PULL, {
      identifier = provider.identifier,
      textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    }, nil, bufnr)
  end
end

-- Other buffers whose diagnostics may have changed. The client itself asks for pulls of these only later. If
-- there are many, the most recently used ones.
local function dependents(client, bufnr)
  local others = vim.tbl_filter(function(other)
    return other ~= bufnr and vim.api.nvim_buf_is_loaded(other)
  end, vim.tbl_keys(client.attached_buffers))
  return vim.list_slice(recent.sort(others), 1, MOST_DEPENDENTS)
end

--- Request diagnostics of a changed buffer from a client that must be pulled, unless Neovim itself has done
--- so, as it does for visible buffers. If the client checks across files, request those of others, too.
---@param client vim.lsp.Client
---@param bufnr integer attached to the client
---@param before integer the id of its latest request before the change
function M.pull(client, bufnr, before)
  local providers = private_api.providers(client, PULL)
  if M.latest_pull(client, bufnr) <= before then
    request(client, bufnr, providers)
  end
  local all = vim.list_extend({ client.server_capabilities.diagnosticProvider }, providers)
  local looks_across_files = vim.iter(all):any(function(provider)
    return type(provider) == 'table' and provider.interFileDependencies == true
  end)
  for _, other in ipairs(looks_across_files and dependents(client, bufnr) or {}) do
    request(client, other, providers)
  end
end

return M
