--- The model's questions about buffers: which there are, their text, and what is not saved.
local bounded = require('claude_ide.tools.bounded')
local buffer_text = require('claude_ide.file.text')
local file_edit = require('claude_ide.file.edit')
local file_path = require('claude_ide.file.path')
local place = require('claude_ide.tools.place')
local quoting = require('claude_ide.tools.quoting')
local slices = require('claude_ide.timing.slices')

local M = {}

local api = vim.api

local LARGEST = 1e6 -- bytes of a text that is compared, in a few milliseconds
local CONTEXT = 3 -- lines around a change

local function is_open(bufnr)
  return vim.bo[bufnr].buflisted or (vim.bo[bufnr].modified and api.nvim_buf_is_loaded(bufnr))
end

local function described(bufnr, current)
  return {
    bufnr = bufnr,
    path = file_path.path(bufnr) or '',
    name = api.nvim_buf_get_name(bufnr),
    filetype = vim.bo[bufnr].filetype,
    buftype = vim.bo[bufnr].buftype,
    lines = api.nvim_buf_is_loaded(bufnr) and api.nvim_buf_line_count(bufnr) or 0,
    is_loaded = api.nvim_buf_is_loaded(bufnr),
    is_modified = vim.bo[bufnr].modified,
    is_shown = #vim.fn.win_findbuf(bufnr) > 0,
    is_current = bufnr == current,
  }
end

--- The buffers that the user has opened.
---@type claude_ide.Tool
function M.list(_, answer)
  local current, found = api.nvim_get_current_buf(), {}
  slices.each(api.nvim_list_bufs(), function(bufnr)
    if api.nvim_buf_is_valid(bufnr) and is_open(bufnr) then
      found[#found + 1] = described(bufnr, current)
    end
  end, function()
    answer({ buffers = found })
  end)
end

--- The loaded buffer of a file, or with a number.
---
--- Raises an error if there is none.
---@param arguments { file?: string, bufnr?: integer }
---@return integer bufnr
local function loaded(arguments)
  local bufnr = arguments.bufnr
  if bufnr then
    if not api.nvim_buf_is_loaded(bufnr) then
      error(('there is no loaded buffer %d'):format(bufnr), 0)
    elseif place.is_private(bufnr) then
      error(('buffer %d is a terminal or the command-line window'):format(bufnr), 0)
    end
    return bufnr
  end
  return place.open_buffer(assert(arguments.file), '; read it from disk')
end

-- Empty lines for those that quote private files.
local function without_quotes(bufnr, first, lines)
  local is_quoting = quoting.checker(bufnr)
  for index, line in ipairs(lines) do
    lines[index] = is_quoting(first + index - 1, line) and '' or line
  end
  return lines
end

--- Lines of a buffer, saved or not.
---@type claude_ide.Tool
function M.lines(arguments, answer)
  local bufnr = loaded(arguments)
  local total, first = api.nvim_buf_line_count(bufnr), arguments.offset + 1
  if first > total then
    error(('the buffer has only %d lines'):format(total), 0)
  end
  local lines = api.nvim_buf_get_lines(bufnr, first - 1, first - 1 + arguments.limit, false)
  answer({
    total = total,
    first = first,
    lines = bounded.lines(without_quotes(bufnr, first, lines)),
    is_modified = vim.bo[bufnr].modified,
  })
end

-- The text on disk; empty for a file that does not exist. Nil if it cannot be compared.
local function saved_text(path)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return ''
  elseif stat.type ~= 'file' or stat.size > LARGEST then
    return nil
  end
  local file = io.open(path, 'rb')
  local text = file and file:read('*a')
  if file then
    file:close()
  end
  return text
end

local function size_of(bufnr)
  return api.nvim_buf_get_offset(bufnr, api.nvim_buf_line_count(bufnr))
end

-- A unified diff of the file on disk and the buffer.
local function changes(bufnr)
  local path = assert(file_path.path(bufnr))
  if file_edit.is_translated(bufnr) then
    return { path = path, note = 'a plugin makes its text' }
  end
  local saved = size_of(bufnr) <= LARGEST and saved_text(path)
  if not saved then
    return { path = path, note = 'too large to compare' }
  end
  return {
    path = path,
    diff = (vim.text.diff or vim.diff)(saved, buffer_text.get(bufnr), { ctxlen = CONTEXT }),
  }
end

local function has_changes(bufnr)
  return vim.bo[bufnr].modified
    and vim.bo[bufnr].buftype == ''
    and api.nvim_buf_is_loaded(bufnr)
    and file_path.path(bufnr) ~= nil
end

--- What is not saved, in one file or in all.
---@type claude_ide.Tool
function M.unsaved(arguments, answer)
  local chosen = arguments.file and { loaded(arguments) } or api.nvim_list_bufs()
  local files = {}
  slices.each(vim.tbl_filter(has_changes, chosen), function(bufnr)
    if api.nvim_buf_is_loaded(bufnr) then
      files[#files + 1] = changes(bufnr)
    end
  end, function()
    answer({ files = files })
  end)
end

return M
