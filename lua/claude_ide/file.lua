--- Which buffers stand for a file, and where that file is.
local M = {}

--- The absolute path of the file that a buffer holds, on disk or not yet; nil for a buffer of
--- another kind: without a name, a terminal, a proposal, a list, a file tree, `scheme://…`.
---@param bufnr integer 0 for the current one
---@return string?
function M.path(bufnr)
  if not vim.api.nvim_buf_is_valid(bufnr) or vim.bo[bufnr].buftype ~= '' then
    return nil
  end
  local name = vim.api.nvim_buf_get_name(bufnr)
  local is_other = name == ''
    or name:find('^%a[%w+.-]*://')
    or vim.bo[bufnr].filetype == 'netrw'
    or vim.fn.isdirectory(name) == 1
  return not is_other and name or nil
end

return M
