--- Tells which buffers hold a file, the path of that file, and where a path leads.
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

--- A path without links, also if its file does not exist. Unchanged if its links lead in a circle.
---@param path string absolute
---@return string
function M.real(path)
  local found = vim.uv.fs_realpath(path)
  if found then
    return found
  end
  -- It also follows a link whose target does not exist, as a write would.
  local ok, target = pcall(vim.fn.resolve, path)
  local resolved = ok and target or path
  local folder = vim.fs.dirname(resolved)
  if folder == resolved then
    return resolved
  end
  return vim.fs.joinpath(M.real(folder), vim.fs.basename(resolved))
end

local function has_link(path)
  return vim.uv.fs_readlink(path) ~= nil or vim.iter(vim.fs.parents(path)):any(vim.uv.fs_readlink)
end

--- Why a file must not be written: its path no longer leads where it led when somebody looked at it. Nil if
--- it still does.
---@param path string absolute
---@param target string the path without links, as it was then
---@return string? refusal one sentence
function M.turned(path, target)
  if has_link(target) or M.real(path) ~= M.real(target) then
    return ('%s: a link on its path has changed since it was shown; it was not written.'):format(
      path
    )
  end
end

return M
