--- Functions of Neovim that are not public, and have no public counterpart. Without one of them, less is
--- found: nothing fails. `tests/lua/test_private_api.py` checks what is expected of them (run with Neovim
--- 0.11 and 0.12).
local M = {}

--- The clients of a buffer, or all, that have not reported their capabilities yet.
---@param bufnr? integer
---@return vim.lsp.Client[]
function M.starting(bufnr)
  local clients = vim.lsp.get_clients({ bufnr = bufnr, _uninitialized = true })
  return vim.tbl_filter(function(client)
    return not client.initialized and not client:is_stopped()
  end, clients)
end

--- The options with which a server provides a method, also those that it has registered later. Neovim 0.11
--- knows only what a server has reported first.
---@param client vim.lsp.Client
---@param method string
---@return table[]
function M.providers(client, method)
  local found = {}
  if client._provider_foreach then
    client:_provider_foreach(method, function(provider)
      found[#found + 1] = type(provider) == 'table' and provider or {}
    end)
  end
  return found
end

return M
