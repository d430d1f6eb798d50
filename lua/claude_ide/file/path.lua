--- Tells which buffers hold a file, and the path of that file.
local M = {}

--- Whether a buffer with this name, 'buftype' and 'filetype' holds a file, which may not exist yet. Other
--- buffers have no name, or are a terminal, a proposal, a list, a file tree, `scheme://…`.
---@param name string
---@param buftype string
---@param filetype string
---@return boolean
function M.is_held(name, buftype, filetype)
  return buftype == ''
    and name ~= ''
    and not name:find('^%a[%w+.-]*://')
    and filetype ~= 'netrw'
    and vim.fn.isdirectory(name) == 0
end

--- The absolute path of the file that a buffer holds; nil for a buffer of another kind.
---@param bufnr integer 0 for the current one
---@return string?
function M.path(bufnr)
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return nil
  end
  local name, options = vim.api.nvim_buf_get_name(bufnr), vim.bo[bufnr]
  return M.is_held(name, options.buftype, options.filetype) and name or nil
end

return M
