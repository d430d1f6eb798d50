--- Holds copies of the host's listening sockets in Neovim. Without them, another process could listen
--- on a port between two hosts, and a client would send it the token.
local M = {}

---@alias claude_ide.HeldPort 'server'|'hooks'

local held = {} ---@type table<claude_ide.HeldPort, uv.uv_tcp_t>
-- Hosts connect to one to pass a socket on, or to receive it.
local listeners = {} ---@type table<claude_ide.HeldPort, uv.uv_pipe_t>

local function close(handle)
  if handle and not handle:is_closing() then
    handle:close()
  end
end

local function send(host, socket)
  local is_sent = host:write2('\n', socket, function()
    close(host)
  end)
  if not is_sent then
    close(host)
  end
end

local function receive(host, name)
  host:read_start(function(_, data)
    if data and not held[name] and host:pending_count() > 0 then
      held[name] = assert(vim.uv.new_tcp())
      host:accept(held[name])
    end
    close(host)
  end)
end

--- Wait for the next host to pass a socket on, or to fetch it.
---@param name claude_ide.HeldPort
---@return string path of a Unix socket in a private folder; empty if there is none
function M.open(name)
  close(listeners[name])
  if vim.fn.has('win32') == 1 then
    return ''
  end
  local path = vim.fn.tempname()
  local opened = assert(vim.uv.new_pipe(false))
  listeners[name] = opened
  local is_open = opened:bind(path)
    and opened:listen(8, function()
      local host = assert(vim.uv.new_pipe(true))
      if not opened:accept(host) then
        close(host)
      elseif held[name] then
        send(host, held[name])
      else
        receive(host, name)
      end
    end)
  return is_open and path or ''
end

--- A held port; nil if it is not held.
---@param name claude_ide.HeldPort
---@return integer?
function M.port(name)
  local address = held[name] and held[name]:getsockname()
  return address and address.port
end

--- Release a port.
---@param name claude_ide.HeldPort
function M.release(name)
  close(held[name])
  held[name] = nil
end

return M
