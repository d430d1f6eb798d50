--- Sends notifications to the Python host, without waiting for it.
local M = {}

--- The host's RPC channel; nil while no host is running.
---@type integer?
M.id = nil

--- Notify a host. Errors are ignored: if the host has just died, `on_exit` reports it, although its
--- channel may close earlier.
---@type fun(id: integer, method: string, ...: any)
function M.notify(id, method, ...)
  pcall(vim.rpcnotify, id, method, ...)
end

--- Emit an event to the host. Without a host it is dropped.
---@param event string its name
---@param payload table
function M.emit(event, payload)
  if M.id then
    M.notify(M.id, 'claude_ide_event', event, payload)
  end
end

return M
