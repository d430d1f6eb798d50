--- Lines of files: of a buffer, saved or not, otherwise of the disk. Converts the columns of servers.
local buffer_names = require('claude_ide.file.names')
local buffers = require('claude_ide.file.buffers')

local M = {}

local api = vim.api

-- Bytes.
local LARGEST = 2000000
local LONGEST = 300
local CARRIAGE_RETURN = 13

-- The text of a file that is not loaded; "" if it is large, or no regular file.
local function read(path, stat)
  local file = stat and stat.type == 'file' and stat.size <= LARGEST and io.open(path, 'rb')
  if not file then
    return ''
  end
  local text = file:read('*a') or ''
  file:close()
  return text
end

---@class claude_ide.OpenSource
---@field path string
---@field bufnr? integer
---@field text string of a file that is not loaded
---@field row integer that begins at `at`
---@field at integer 1-based

local function open(path)
  local stat = vim.uv.fs_lstat(path)
  local is_link = stat ~= nil and stat.type == 'link'
  -- Most of many files have no buffer, which is quick to see.
  local bufnr = (is_link or #buffer_names.candidates(path) > 0) and buffers.loaded(path) or nil
  local text = bufnr and '' or read(path, is_link and vim.uv.fs_stat(path) or stat)
  return { path = path, bufnr = bufnr, text = text, row = 0, at = 1 }
end

-- Rows are mostly asked for in order: what lies before is not searched again.
local function line_of(one, row)
  if one.bufnr then
    return api.nvim_buf_is_loaded(one.bufnr)
        and api.nvim_buf_get_lines(one.bufnr, row, row + 1, false)[1]
      or ''
  end
  if row < one.row then
    one.row, one.at = 0, 1
  end
  while one.row < row do
    local found = one.text:find('\n', one.at, true)
    if not found then
      return ''
    end
    one.row, one.at = one.row + 1, found + 1
  end
  local last = one.text:find('\n', one.at, true)
  local finish = (last or #one.text + 1) - 1
  return one.text:sub(one.at, one.text:byte(finish) == CARRIAGE_RETURN and finish - 1 or finish)
end

--- A function that returns a line of a file, "" if it is not known. It keeps one file, and one line.
---@return fun(path: string, row: integer): string
function M.reader()
  local opened ---@type claude_ide.OpenSource?
  local last_row, last_line
  return function(path, row)
    if not opened or opened.path ~= path then
      opened, last_row = open(path), nil
    end
    if row ~= last_row then
      last_row, last_line = row, line_of(opened, row)
    end
    return last_line
  end
end

-- Most lines are, and then every way to count is the same.
local function is_ascii(text)
  return not text:find('[\128-\255]')
end

--- The byte column of a server's character.
---@param text string
---@param character integer
---@param encoding lsp.PositionEncodingKind|string
---@return integer
function M.byte(text, character, encoding)
  if is_ascii(text) then
    return math.min(math.max(character, 0), #text)
  end
  return vim.str_byteindex(text, encoding, math.max(character, 0), false)
end

--- The column that a model counts, of a server's character. A line that is not known counts as ASCII.
---@param text string
---@param character integer
---@param encoding string
---@return integer 1-based
function M.column(text, character, encoding)
  if text == '' then
    return math.max(character, 0) + 1
  end
  local col = M.byte(text, character, encoding)
  return (is_ascii(text) and col or vim.str_utfindex(text, 'utf-32', col, false)) + 1
end

--- A line without its indent; of a long one, the part around a byte column.
---@param text string
---@param col integer
---@return string
function M.excerpt(text, col)
  if #text <= LONGEST then
    return text:match('^%s*(.*%S)') or ''
  end
  local first = math.max(math.min(col, #text) - LONGEST / 3, 1)
  first = first + vim.str_utf_start(text, first)
  local last = math.min(first + LONGEST, #text)
  last = last + vim.str_utf_end(text, last)
  return (first > 1 and '…' or '') .. text:sub(first, last) .. (last < #text and '…' or '')
end

return M
