local new = vim.uv.new_fs_event
vim.uv.new_fs_event = function()
  local real = new()
  return {
    start = function()
      return nil, 'ENOSPC: no space left on device', 'ENOSPC'
    end,
    close = function()
      real:close()
    end,
    is_closing = function()
      return real:is_closing()
    end,
  }
end
