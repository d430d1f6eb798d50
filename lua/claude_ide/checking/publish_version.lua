--- Which version of a document a language server's diagnostics are about. Only the server's message
--- says so, and Neovim keeps it to itself.
local M = {}

local METHOD = 'textDocument/publishDiagnostics'

---@class claude_ide.BorrowedHandler
---@field ours lsp.Handler
---@field theirs? lsp.Handler the client's own
---@field deadline number

---@type table<integer, claude_ide.BorrowedHandler>
local borrowed = {}

-- The message that is being handled.
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

-- Another plugin's handler that has taken the place of ours stays.
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

--- Read the versions of what this client publishes, for so long.
---@param client vim.lsp.Client
---@param ms integer
function M.read(client, ms)
  local known, theirs = borrowed[client.id], client.handlers[METHOD]
  local one = known
  if not one or theirs ~= one.ours then
    one = { ours = read(theirs), theirs = theirs }
    borrowed[client.id] = one
    client.handlers[METHOD] = one.ours
  end
  one.deadline = vim.uv.now() + ms
  if not known then
    give_back(client)
  end
end

--- The version that the diagnostics are about which are being stored now.
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
