--- Holds a copy of the host's listening socket in Neovim. Without it, another process could listen on the
--- port between two hosts, and a client would send it the token.
local M = {}

local held ---@type uv.uv_tcp_t?
local listener ---@type uv.uv_pipe_t? to which hosts connect, to pass their socket on or to fetch it

---@param handle uv.uv_handle_t?
local function close(handle)
  if handle and not handle:is_closing() then
    handle:close()
  end
end

-- A host passes a socket on, which replaces an earlier one, or asks for the last.
local function serve(host)
  host:read_start(function(_, data)
    host:read_stop()
    if data and host:pending_count() > 0 then
      close(held)
      held = assert(vim.uv.new_tcp())
      host:accept(held)
    elseif data and held then
      host:write2('\n', held, function()
        close(host)
      end)
      return
    end
    close(host)
  end)
end

--- Wait for the next host to pass a socket on, or to fetch it.
---@return string path of a Unix socket in a private folder; empty if there is none
function M.open()
  close(listener)
  if vim.fn.has('win32') == 1 then
    return ''
  end
  local path = vim.fn.tempname()
  local opened = assert(vim.uv.new_pipe(false))
  listener = opened
  local is_open = opened:bind(path)
    and opened:listen(8, function()
      local host = assert(vim.uv.new_pipe(true))
      opened:accept(host)
      serve(host)
    end)
  return is_open and path or ''
end

--- The held port; nil if none is held.
---@return integer?
function M.port()
  local address = held and held:getsockname()
  return address and address.port
end

--- Release the port.
function M.release()
  close(held)
  held = nil
end

return M
