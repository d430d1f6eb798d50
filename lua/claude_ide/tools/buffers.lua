--- Facts about buffers for the model's tools: which there are, their texts, undo histories and files.
local buffer_text = require('claude_ide.file.text')
local buffers = require('claude_ide.file.buffers')
local file_edit = require('claude_ide.file.edit')
local file_path = require('claude_ide.file.path')
local place = require('claude_ide.tools.place')
local private_api = require('claude_ide.private_api')
local quiet = require('claude_ide.messages.quiet')
local unopened = require('claude_ide.diagnostics.unopened')
local window_close = require('claude_ide.window.close')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local api = vim.api

-- Bytes of a text that is compared, and of one whose states are restored, in a few milliseconds.
local LARGEST, LARGEST_UNDONE = 1e6, 5e5
local CONTEXT = 3 -- lines around a change
-- Nanoseconds. Longer, loading many files would be felt.
local SLICE = 10e6

--- Rows of files, 0-based: the lines of each file in this order, "" for one that is not there; false for a
--- file that is not loaded.
---@type fun(wanted: { path: string, rows: integer[] }[]): (string[]|false)[]
function M.rows(wanted)
  return vim.tbl_map(function(each)
    local bufnr = buffers.loaded(each.path)
    return bufnr ~= nil
      and vim.tbl_map(function(row)
        return place.line(bufnr, row + 1)
      end, each.rows)
  end, wanted)
end

local function size_of(bufnr)
  return api.nvim_buf_get_offset(bufnr, api.nvim_buf_line_count(bufnr))
end

local function difference(old, new)
  return (vim.text.diff or vim.diff)(old, new, { ctxlen = CONTEXT })
end

--- A unified `diff` of the file on disk and the buffer, or a `note`.
---@type claude_ide.Tool
function M.unsaved(arguments)
  local bufnr = arguments.bufnr
  local path = assert(file_path.path(bufnr))
  if file_edit.is_translated(bufnr) then
    return { path = path, note = 'a plugin makes its text' }
  end
  local is_new = not vim.uv.fs_stat(path)
  local saved = size_of(bufnr) <= LARGEST and (is_new and '' or buffer_text.bytes(path, LARGEST))
  return {
    path = path,
    note = not saved and 'too large to compare' or nil,
    diff = saved and difference(saved, buffer_text.get(bufnr)) or nil,
  }
end

--- The undo `tree` of a file's buffer, and the time `now`.
---@type claude_ide.Tool
function M.undo_tree(arguments)
  local bufnr = place.open_buffer(arguments.file, ', so it has no undo history')
  return { tree = vim.fn.undotree(bufnr), now = os.time() }
end

-- Run `fn` in a copy of a buffer that has the same undo history.
local function in_copy(bufnr, fn)
  local path = vim.fn.tempname()
  local copy = api.nvim_create_buf(false, true)
  local ok, result = pcall(without_events.run, 'all', function()
    vim.bo[copy].undolevels = vim.bo[bufnr].undolevels
    api.nvim_buf_set_lines(copy, 0, -1, true, api.nvim_buf_get_lines(bufnr, 0, -1, true))
    api.nvim_buf_call(bufnr, function()
      quiet.run(function()
        vim.cmd('wundo! ' .. vim.fn.fnameescape(path))
      end)
    end)
    return api.nvim_buf_call(copy, function()
      return quiet.run(function()
        vim.cmd('rundo ' .. vim.fn.fnameescape(path))
        return fn(copy)
      end)
    end)
  end)
  window_close.buffer(copy)
  vim.uv.fs_unlink(path)
  if not ok then
    error(result, 0)
  end
  return result
end

local function text_at(copy, state)
  vim.cmd('undo ' .. state)
  return table.concat(api.nvim_buf_get_lines(copy, 0, -1, true), '\n') .. '\n'
end

--- A unified `diff` of two states. The buffer itself stays as it is.
---@type claude_ide.Tool
function M.undo_diff(arguments)
  local bufnr = place.open_buffer(arguments.file, ', so it has no undo history')
  if size_of(bufnr) > LARGEST_UNDONE then
    error('the text is too large to compare', 0)
  end
  local diff = in_copy(bufnr, function(copy)
    return difference(text_at(copy, arguments.from), text_at(copy, arguments.to))
  end)
  return { diff = diff }
end

-- A buffer without a file is the user's own.
local function named(path, bufnr)
  local _, refusal = file_path.existing(path or '')
  return {
    path = path or '',
    is_open = path == nil or (bufnr ~= nil and unopened.is_opened(bufnr)),
    refusal = refusal or '',
  }
end

--- Answers the absolute `path` of each of the `files` and `buffers`; whether it `is_open`, that is, the user
--- has opened it, or it is no file; and the `refusal` of a path that no tool would read. Answers the working
--- `folders`, too.
---@type claude_ide.Tool
function M.named(arguments)
  local files = vim.tbl_map(function(each)
    local path = file_path.absolute(each.file)
    local found = buffers.find(path)
    return named(path, found and found.bufnr)
  end, arguments.files)
  for _, each in ipairs(arguments.buffers) do
    local is_valid = api.nvim_buf_is_valid(each.bufnr)
    files[#files + 1] = named(is_valid and file_path.path(each.bufnr) or nil, each.bufnr)
  end
  return { files = files, folders = vim.fn['claude_ide#places#Folders']() }
end

--- Write a file's buffer as `:write` does.
---@type claude_ide.Tool
function M.save(arguments)
  return buffers.save(arguments.file)
end

--- Load a file unseen. Answers { bufnr, is_new }; `is_new`: nothing may have checked it yet.
---@type claude_ide.Tool
function M.load(arguments)
  local bufnr, is_new = place.buffer(arguments.file)
  return { bufnr = bufnr, is_new = is_new }
end

--- Answers the `texts` of the first of the files, as many as can be loaded in a short time; without lines for
--- those that do not exist yet. The `version` is that of the text which the `client` has got last.
---@type claude_ide.Tool
function M.texts(arguments)
  local texts, began = {}, vim.uv.hrtime()
  local client = vim.lsp.get_client_by_id(arguments.client)
  for _, file in ipairs(arguments.files) do
    local text = { path = file.path }
    if not file.is_new then
      local bufnr = place.buffer(file.path)
      text = buffer_text.describe(bufnr, file.path)
      text.version = client and client.attached_buffers[bufnr] and private_api.version(bufnr)
    end
    texts[#texts + 1] = text
    if vim.uv.hrtime() - began > SLICE then
      break
    end
  end
  return { texts = texts }
end

return M
