--- Finds what a model names: a file, and a position in it.
local buffers = require('claude_ide.file.buffers')
local file_path = require('claude_ide.file.path')
local recent = require('claude_ide.window.recent')
local tiling = require('claude_ide.window.tiling')
local unopened = require('claude_ide.diagnostics.unopened')

local M = {}

local api = vim.api

local SHOWN = 80 -- bytes of a line
local MOST_COLUMNS = 20

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

local function shortened(text)
  return #text > SHOWN and vim.fn.strcharpart(text, 0, SHOWN) .. '…' or text
end

-- The characters before a byte column.
local function characters(text, col)
  return vim.str_utfindex(text, 'utf-32', col, false)
end

--- A byte column of a line as a column for the model: in characters, from 1.
---@param text string
---@param col integer bytes, 0-based; one past the end counts as the end
---@return integer
function M.column(text, col)
  return characters(text, col) + 1
end

--- A column of the model's as a byte column.
---@param text string
---@param column integer characters, 1-based
---@return integer col bytes, 0-based
function M.byte(text, column)
  return vim.str_byteindex(text, 'utf-32', column - 1, false)
end

--- The buffer of a file that is loaded, without loading one.
---
--- Raises an error, which ends with what follows for the caller.
---@param path string
---@param consequence string
---@return integer bufnr
function M.open_buffer(path, consequence)
  local found = buffers.find(path)
  if not (found and found.loaded) then
    error(('%s is not open in Neovim%s'):format(path, consequence), 0)
  end
  return found.bufnr
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
  for _, tabpage in ipairs(has_file(here) and {} or tabpages) do
    local wins = vim.tbl_filter(has_file, tiling.windows(tabpage))
    local latest = recent.sort(vim.tbl_map(api.nvim_win_get_buf, wins))[1]
    local win = vim.iter(wins):find(function(each)
      return api.nvim_win_get_buf(each) == latest
    end)
    if win then
      return win
    end
  end
  return here
end

--- Whether a buffer shows what a program has printed, or the commands that the user has typed. Secrets may
--- be in both.
---@param bufnr integer
---@return boolean
function M.is_private(bufnr)
  local is_command_window = vim.fn.getcmdwintype() ~= '' and bufnr == api.nvim_get_current_buf()
  return vim.bo[bufnr].buftype == 'terminal' or is_command_window
end

-- Whether a match is a whole word, as far as it begins and ends with a word character.
local function is_whole(text, first, last)
  local function joins(at)
    return at > 0
      and at < #text
      and text:sub(at, at):find('[%w_\128-\255]') ~= nil
      and text:sub(at + 1, at + 1):find('[%w_\128-\255]') ~= nil
  end
  return not joins(first - 1) and not joins(last)
end

local function occurrences(text, symbol)
  local found, from = {}, 1
  while true do
    local first, last = text:find(symbol, from, true)
    if not first then
      return found
    end
    if is_whole(text, first, last) then
      found[#found + 1] = first - 1
    end
    from = first + 1
  end
end

local function of_symbol(text, symbol, line)
  local found = occurrences(text, symbol)
  if #found == 1 then
    return found[1]
  elseif #found == 0 then
    error(('line %d has no "%s"; it is: %s'):format(line, shortened(symbol), shortened(text)), 0)
  end
  local columns = vim.tbl_map(function(col)
    return characters(text, col) + 1
  end, vim.list_slice(found, 1, MOST_COLUMNS))
  local listed = table.concat(columns, ', ') .. (#found > MOST_COLUMNS and ', …' or '')
  error(('line %d has "%s" in columns %s; give one'):format(line, shortened(symbol), listed), 0)
end

--- The position that `line` and `column`, or `line` and `symbol`, name in a buffer.
---
--- Raises an error that says what is wrong.
---@param bufnr integer
---@param arguments { line: integer, column?: integer, symbol?: string }
---@return integer row 0-based
---@return integer col bytes, 0-based
function M.position(bufnr, arguments)
  local count = api.nvim_buf_line_count(bufnr)
  local line, column, symbol = arguments.line, arguments.column, arguments.symbol
  if line > count then
    error(('there is no line %d; the file has %d'):format(line, count), 0)
  end
  local text = api.nvim_buf_get_lines(bufnr, line - 1, line, true)[1]
  if column and column ~= vim.NIL then
    local length = characters(text, #text)
    if column > length + 1 then
      error(('line %d has no column %d; it has %d characters'):format(line, column, length), 0)
    end
    return line - 1, M.byte(text, column)
  elseif symbol and symbol ~= vim.NIL then
    return line - 1, of_symbol(text, symbol, line)
  end
  return line - 1, #text:match('^%s*')
end

return M
