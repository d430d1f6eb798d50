--- The way from the editor to the Python host: one notification, never waited for.
local M = {}

--- The host's RPC channel, or nil while no host runs.
---@type integer?
M.id = nil

--- Notify a host. One that has just died is reported by its exit, which may come later than the end
--- of its channel.
---@param id integer
---@param method string
---@param ... any
function M.notify(id, method, ...)
  pcall(vim.rpcnotify, id, method, ...)
end

--- Tell the host that something happened; without a host nothing is sent.
---@param event string
---@param payload table
function M.emit(event, payload)
  if M.id then
    M.notify(M.id, 'claude_ide_event', event, payload)
  end
end

return M
