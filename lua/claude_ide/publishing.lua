--- Waiting until language servers have said what they think of a buffer's new text.
local channel = require('claude_ide.channel')
local events = require('claude_ide.diagnostic_events')

local M = {}

-- Clients that were waited for in vain, until one of their buffers hears something: mostly they are
-- assistants, which have nothing to publish.
---@type table<integer, true>
local silent = {}

local function clients_of(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr })
end

local function is_heard_from(bufnr)
  return vim.api.nvim_buf_is_loaded(bufnr)
    and vim.iter(clients_of(bufnr)):any(function(client)
      return not silent[client.id] or client:supports_method('textDocument/diagnostic')
    end)
end

local function forgive(bufnr)
  for _, client in ipairs(clients_of(bufnr)) do
    silent[client.id] = nil
  end
  if not next(silent) then
    events.unsubscribe(forgive)
  end
end

local function blame(bufnr)
  for _, client in ipairs(clients_of(bufnr)) do
    silent[client.id] = true
  end
  events.subscribe(forgive)
end

--- Emit `diagnostics_published` with the `token` once the diagnostics of each of the buffers have
--- changed, as far as a language server is there to do that, or else when time is up.
---@param token any
---@param bufnrs integer[]
---@param timeout_ms integer
function M.await_publish(token, bufnrs, timeout_ms)
  local waiting = {}
  for _, bufnr in ipairs(bufnrs) do
    waiting[bufnr] = is_heard_from(bufnr) or nil
  end
  if not next(waiting) then
    return channel.emit('diagnostics_published', { token = token })
  end
  local timer = assert(vim.uv.new_timer())
  local function hear(bufnr)
    waiting[bufnr] = nil
    if not next(waiting) then
      timer:close()
      events.unsubscribe(hear)
      channel.emit('diagnostics_published', { token = token })
    end
  end
  events.subscribe(hear)
  timer:start(
    timeout_ms,
    0,
    vim.schedule_wrap(function()
      for bufnr in pairs(waiting) do
        blame(bufnr)
        hear(bufnr)
      end
    end)
  )
end

return M
