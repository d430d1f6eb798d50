--- What every process that Neovim starts learns of the server: its port, in environment variables.
local M = {}

local VARIABLES = { 'CLAUDE_CODE_SSE_PORT', 'ENABLE_IDE_INTEGRATION', 'no_proxy', 'NO_PROXY' }

local before ---@type table<string, string|false>? what they were

local function remember()
  before = {}
  for _, name in ipairs(VARIABLES) do
    before[name] = vim.env[name] or false
  end
end

--- Put 127.0.0.1 into a list of hosts that need no proxy.
local function without_proxy(hosts)
  if not hosts or hosts == '' then
    return '127.0.0.1'
  end
  local listed = vim.tbl_contains(vim.split(hosts, ',', { trimempty = true }), '127.0.0.1')
  return listed and hosts or hosts .. ',127.0.0.1'
end

--- Have the processes that start from now on find the server.
---@param port integer
function M.announce(port)
  if not before then
    remember()
  end
  vim.env.CLAUDE_CODE_SSE_PORT = tostring(port)
  vim.env.ENABLE_IDE_INTEGRATION = 'true'
  vim.env.no_proxy = without_proxy(vim.env.no_proxy)
  vim.env.NO_PROXY = without_proxy(vim.env.NO_PROXY)
end

--- Restore what the user had.
function M.restore()
  for name, value in pairs(before or {}) do
    vim.env[name] = value or nil
  end
  before = nil
end

return M
