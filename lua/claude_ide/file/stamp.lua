--- Stamps tell states of a file apart: time of change, size and inode in one string.
local M = {}

--- The stamp of a file that does not exist.
M.MISSING = 'missing'

--- The stamp of the file at a path.
---@param path string
---@return string
function M.of(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ('%d.%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size, stat.ino)
    or M.MISSING
end

--- Whether a file was empty when it had this stamp.
---@param stamp string
---@return boolean
function M.is_of_empty(stamp)
  return stamp:find(' 0 %d+$') ~= nil
end

--- The stamp of a buffer's file.
---@param bufnr integer
---@return string
function M.of_buffer(bufnr)
  return M.of(vim.api.nvim_buf_get_name(bufnr))
end

--- The time of the last change of a buffer's file; `:write` compares nothing else.
---@param bufnr integer
---@return string? time nil if there is no file
function M.time_of_buffer(bufnr)
  local stat = vim.uv.fs_stat(vim.api.nvim_buf_get_name(bufnr))
  return stat and ('%d.%d'):format(stat.mtime.sec, stat.mtime.nsec)
end

return M
