--- Notifies language servers that a buffer has been updated from its file, and pulls diagnostics.
local M = {}

local PULL = 'textDocument/diagnostic'
local MOST_DEPENDENTS = 20
-- The groups of autocommands that keep inlay hints and folds of language servers up to date.
local LOOKS = { 'nvim.lsp.inlayhint', 'nvim.lsp.folding_range.setup' }

-- Neovim delays changes for 150 ms. If this private function does not exist, the next request sends them.
local function flush(client, bufnr)
  local ok, tracking = pcall(require, 'vim.lsp._changetracking')
  if ok and tracking.flush then
    pcall(tracking.flush, client, bufnr)
  end
end

-- The text as Neovim sends it, which may differ from the text on disk (`file/text.lua`): there is no byte
-- order mark, and 'fixendofline' adds no line end.
local function text_of(bufnr)
  local ending = ({ dos = '\r\n', mac = '\r' })[vim.bo[bufnr].fileformat] or '\n'
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), ending)
  return vim.bo[bufnr].endofline and text .. ending or text
end

-- The text is optional. It is omitted if the buffer has unsaved changes, and so differs from the file.
local function saved_text(save, bufnr)
  local is_wanted = type(save) == 'table' and save.includeText == true
  return is_wanted and not vim.bo[bufnr].modified and text_of(bufnr) or nil
end

local function report_save(client, bufnr)
  local sync = client.server_capabilities.textDocumentSync
  local save = type(sync) == 'table' and sync.save
  if save and save ~= vim.NIL then
    client:notify('textDocument/didSave', {
      textDocument = { uri = vim.uri_from_bufnr(bufnr) },
      text = saved_text(save, bufnr),
    })
  end
end

-- Neovim 0.11 fires `LspNotify` for the current buffer, whichever has changed. Without this, the inlay hints
-- of any other buffer would stay at their old places, next to the new text.
local function refresh_looks(client, bufnr)
  for _, group in ipairs(LOOKS) do
    -- A feature that was never used has no group.
    pcall(vim.api.nvim_exec_autocmds, 'LspNotify', {
      group = group,
      buffer = bufnr,
      modeline = false,
      data = {
        client_id = client.id,
        method = 'textDocument/didChange',
        params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } },
      },
    })
  end
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
    flush(client, bufnr)
    report_save(client, bufnr)
    if vim.fn.has('nvim-0.12') == 0 then
      refresh_looks(client, bufnr)
    end
  end
end

--- Whether a client has to be asked for diagnostics.
---@param client vim.lsp.Client
---@param bufnr integer
---@return boolean
function M.is_pulled(client, bufnr)
  return client:supports_method(PULL, bufnr)
end

--- The requests for diagnostics that a client has not answered yet.
---@param client vim.lsp.Client
---@param bufnr integer
---@return table<integer, true> ids
function M.pulls(client, bufnr)
  local ids = {}
  for id, request in pairs(client.requests) do
    if request.type == 'pending' and request.bufnr == bufnr and request.method == PULL then
      ids[id] = true
    end
  end
  return ids
end

-- A server may have several providers. Neovim 0.11 knows only one of them, and sends no identifier.
local function providers(client)
  local found = {}
  if client._provider_foreach then
    client:_provider_foreach(PULL, function(provider)
      table.insert(found, provider)
    end)
  end
  return found
end

local function identifiers(client)
  local found = vim.tbl_map(function(provider)
    return { provider.identifier }
  end, providers(client))
  return #found > 0 and found or { {} }
end

local function looks_across_files(client)
  local all = vim.list_extend({ client.server_capabilities.diagnosticProvider }, providers(client))
  return vim.iter(all):any(function(provider)
    return type(provider) == 'table' and provider.interFileDependencies == true
  end)
end

local function last_used(bufnr)
  return vim.fn.getbufinfo(bufnr)[1].lastused
end

--- Other buffers whose diagnostics may have changed, if a pulled client checks across files. The client
--- itself asks for pulls of these only later. If there are many, the most recently used ones.
---@param client vim.lsp.Client
---@param bufnr integer the changed buffer
---@return integer[] bufnrs
function M.dependents(client, bufnr)
  if not looks_across_files(client) then
    return {}
  end
  local others = vim.tbl_filter(function(other)
    return other ~= bufnr and vim.api.nvim_buf_is_loaded(other)
  end, vim.tbl_keys(client.attached_buffers))
  table.sort(others, function(a, b)
    return last_used(a) > last_used(b)
  end)
  return vim.list_slice(others, 1, MOST_DEPENDENTS)
end

--- Request diagnostics from a client; Neovim stores the answer. Neovim itself does so only for visible
--- buffers. The request has no id of an earlier result, so the answer is complete.
---@param client vim.lsp.Client
---@param bufnr integer attached to the client
function M.pull(client, bufnr)
  for _, one in ipairs(identifiers(client)) do
    client:request(PULL, {
      identifier = one[1],
      textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    }, nil, bufnr)
  end
end

return M
