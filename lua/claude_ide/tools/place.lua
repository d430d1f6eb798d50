--- Finds what a model names.
local file_path = require('claude_ide.file.path')
local open_files = require('claude_ide.file.open')
local unopened = require('claude_ide.diagnostics.unopened')

local M = {}

local api = vim.api

--- Load a file unseen, unless it is loaded.
---
--- Raises an error that names the file.
---@param path string
---@return integer bufnr
---@return boolean is_cold whether it was loaded just now
function M.buffer(path)
  local loaded = unopened.load(path)
  if loaded.error then
    error(loaded.error, 0)
  elseif loaded.obstacle then
    error(('%s: %s'):format(path, loaded.obstacle), 0)
  end
  return loaded.bufnr, loaded.is_cold
end

--- A line of a buffer; empty if there is none, or if the buffer is not loaded.
---@type fun(bufnr: integer, line: integer): string
function M.line(bufnr, line)
  local is_there = bufnr > 0 and line > 0 and api.nvim_buf_is_loaded(bufnr)
  return is_there and api.nvim_buf_get_lines(bufnr, line - 1, line, false)[1] or ''
end

--- A line of a loaded buffer.
---
--- Raises an error if there is none.
---@type fun(bufnr: integer, line: integer): string
function M.existing_line(bufnr, line)
  local count = api.nvim_buf_line_count(bufnr)
  if line > count then
    error(('there is no line %d; the file has %d'):format(line, count), 0)
  end
  return M.line(bufnr, line)
end

local function has_file(win)
  return file_path.path(api.nvim_win_get_buf(win)) ~= nil
end

--- The window in which the user works on a file: the current one, or the last one if they are in a terminal
--- or a chat. Without such a window it is the current one.
---@return integer win
function M.window()
  local here = api.nvim_get_current_win()
  local tabpages = vim.list_extend({ api.nvim_get_current_tabpage() }, api.nvim_list_tabpages())
  return has_file(here) and here or open_files.find(tabpages, has_file) or here
end

return M
