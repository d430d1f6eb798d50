--- Finds the buffer of a file, and reads, writes and watches it.
local buffer_text = require('claude_ide.file.text')
local disk = require('claude_ide.file.disk')
local file = require('claude_ide.file.path')

local M = {}

---@class claude_ide.Buffer
---@field bufnr integer
---@field loaded boolean
---@field modified boolean
---@field listed boolean
---@field is_open boolean a buffer that a plugin, or we, have loaded without showing it does not count

-- Neovim itself compares files, but knows which one a link leads to only as of when it last read it.
local function through_link(path)
  return vim.iter(vim.api.nvim_list_bufs()):find(function(bufnr)
    local name = vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_name(bufnr) or ''
    return name ~= '' and vim.uv.fs_readlink(name) ~= nil and file.real(name) == file.real(path)
  end)
end

--- The buffer of a file, however the buffer and the caller spell its path.
---
--- Raises an error if no file can have such a path.
---@param path string
---@param is_real? boolean `path` has had no links: one that it has now is not followed
---@return claude_ide.Buffer?
function M.find(path, is_real)
  path = file.absolute(path)
  local bufnr = vim.fn.bufexists(path) == 1 and vim.fn.bufadd(path) or through_link(path)
  local name = bufnr and file.path(bufnr)
  if not name or is_real and name ~= path and file.real(name) ~= path then
    return nil
  end
  local loaded, options = vim.api.nvim_buf_is_loaded(bufnr), vim.bo[bufnr]
  local is_seen = options.modified or #vim.fn.win_findbuf(bufnr) > 0
  return {
    bufnr = bufnr,
    loaded = loaded,
    modified = options.modified,
    listed = options.buflisted,
    is_open = options.buflisted or loaded and is_seen,
  }
end

--- The loaded buffer of a file; nil also for a path that no file can have.
---@param path string
---@return integer? bufnr
function M.loaded(path)
  local ok, buffer = pcall(M.find, path)
  return ok and buffer and buffer.loaded and buffer.bufnr or nil
end

--- Those of many paths whose buffers have unsaved changes.
---@type fun(paths: string[]): string[]
function M.modified(paths)
  return vim.tbl_filter(function(path)
    local bufnr = M.loaded(path)
    return bufnr ~= nil and vim.bo[bufnr].modified
  end, paths)
end

--- The text that `:write` would put on disk; nil if the file is not loaded.
---@param path string
---@param is_real? boolean as in `find`
---@return { text: string }?
function M.text(path, is_real)
  local buffer = M.find(path, is_real)
  return buffer and buffer.loaded and { text = buffer_text.get(buffer.bufnr) } or nil
end

--- Write a file as `:write` does, which runs the user's autocommands.
---@type fun(path: string): { saved?: true, error?: string }
function M.save(path)
  local buffer = M.find(path)
  if not buffer or not buffer.loaded then
    return { error = ('%s is not open in Neovim.'):format(path) }
  end
  local refusal = disk.write(buffer.bufnr)
  return refusal and { error = refusal } or { saved = true }
end

return M
