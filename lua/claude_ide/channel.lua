--- The way from the editor to the Python host: one notification, never waited for.
local M = {}

--- The host's RPC channel, or nil while no host runs.
---@type integer?
M.id = nil

--- Tell the host that something happened; silently nothing while no host runs.
---@param event string
---@param payload table
function M.emit(event, payload)
  if M.id then
    -- A host that just died is reported by its exit; there is nobody to tell here.
    pcall(vim.rpcnotify, M.id, 'claude_ide_event', event, payload)
  end
end

return M
