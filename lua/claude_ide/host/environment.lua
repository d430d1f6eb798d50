--- Sets the environment variables through which child processes of Neovim find the server.
local M = {}

local VARIABLES = { 'CLAUDE_CODE_SSE_PORT', 'ENABLE_IDE_INTEGRATION', 'no_proxy', 'NO_PROXY' }

local before ---@type table<string, string|false>? the previous values; false if unset

local function remember()
  before = {}
  for _, name in ipairs(VARIABLES) do
    before[name] = vim.env[name] or false
  end
end

-- Add 127.0.0.1 to a list of hosts that need no proxy.
local function without_proxy(hosts)
  if not hosts or hosts == '' then
    return '127.0.0.1'
  end
  local listed = vim.tbl_contains(vim.split(hosts, ',', { trimempty = true }), '127.0.0.1')
  return listed and hosts or hosts .. ',127.0.0.1'
end

--- Let processes that are started from now on find the server.
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

--- Restore the user's values.
function M.restore()
  for name, value in pairs(before or {}) do
    vim.env[name] = value or nil
  end
  before = nil
end

return M
