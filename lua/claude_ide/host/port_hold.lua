--- Neovim's own hold on the port of the server: a copy of the host's listening socket. While it is
--- held, no other process can listen there between two hosts, and be sent the token by a client.
local M = {}

local held ---@type uv.uv_tcp_t?
local door ---@type uv.uv_pipe_t? where hosts hand the socket over, or fetch it

local function close(handle)
  if handle and not handle:is_closing() then
    handle:close()
  end
end

local function give(host)
  local is_sent = host:write2('\n', held, function()
    close(host)
  end)
  if not is_sent then
    close(host)
  end
end

local function receive(host)
  host:read_start(function(_, data)
    if data and not held and host:pending_count() > 0 then
      held = vim.uv.new_tcp()
      host:accept(held)
    end
    close(host)
  end)
end

--- Wait for the next host.
---@return string path of a socket in a folder that is ours alone; empty where there can be none
function M.open()
  close(door)
  if vim.fn.has('win32') == 1 then
    return ''
  end
  local path = vim.fn.tempname()
  local opened = vim.uv.new_pipe(false)
  door = opened
  local is_open = opened:bind(path)
    and opened:listen(8, function()
      local host = vim.uv.new_pipe(true)
      if not opened:accept(host) then
        close(host)
      elseif held then
        give(host)
      else
        receive(host)
      end
    end)
  return is_open and path or ''
end

--- The port that is held, if any.
---@return integer?
function M.port()
  local address = held and held:getsockname()
  return address and address.port
end

--- Let go of the port.
function M.release()
  close(held)
  held = nil
end

return M
