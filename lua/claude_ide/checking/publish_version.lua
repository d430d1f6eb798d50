--- Reads the version of the document to which published diagnostics refer. Only the server's message has
--- it, and Neovim does not pass it on.
local M = {}

local METHOD = 'textDocument/publishDiagnostics'

---@class claude_ide.BorrowedHandler
---@field ours lsp.Handler
---@field theirs? lsp.Handler the client's own
---@field deadline number time of libuv, in milliseconds

---@type table<integer, claude_ide.BorrowedHandler>
local borrowed = {}

-- The message that is being handled now.
---@type { client_id: integer, version?: integer }?
local current

local function read(theirs)
  return function(err, params, context)
    local version = params and params.version
    current = {
      client_id = context.client_id,
      version = type(version) == 'number' and version or nil,
    }
    local ok, result = pcall(theirs or vim.lsp.handlers[METHOD], err, params, context)
    current = nil
    if not ok then
      error(result, 0)
    end
    return result
  end
end

-- A plugin's handler that has replaced ours stays.
local function give_back(client)
  local one = borrowed[client.id]
  local remaining = one.deadline - vim.uv.now()
  if remaining > 0 then
    return vim.defer_fn(function()
      give_back(client)
    end, remaining)
  end
  borrowed[client.id] = nil
  if client.handlers[METHOD] == one.ours then
    client.handlers[METHOD] = one.theirs
  end
end

--- Read the versions of this client's messages for a while.
---@param client vim.lsp.Client
---@param ms integer milliseconds
function M.track(client, ms)
  local known, theirs = borrowed[client.id], client.handlers[METHOD]
  local deadline = vim.uv.now() + ms
  if known and theirs == known.ours then
    known.deadline = deadline
  else
    local ours = read(theirs)
    borrowed[client.id] = { ours = ours, theirs = theirs, deadline = deadline }
    client.handlers[METHOD] = ours
  end
  if not known then
    give_back(client)
  end
end

--- The document's version of the diagnostics that are being stored now.
---@return integer?
function M.version()
  return current and current.version
end

--- The namespace of the client that is publishing now.
---@return integer?
function M.namespace()
  return current and vim.lsp.diagnostic.get_namespace(current.client_id, false)
end

return M
