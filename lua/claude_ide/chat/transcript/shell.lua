--- The commands of requests, coloured by the parser of their language, or by a simple one of our own.
local captures = require('claude_ide.chat.transcript.captures')
local chat_parts = require('claude_ide.chat.transcript.parts')
local hazard = require('claude_ide.colouring.hazard')
local shell_words = require('claude_ide.chat.transcript.shell_words')

local M = {}

local api = vim.api

--- The highlight group of a command, by which it is found in a frame (`chat/requests/allowed.py`).
M.GROUP = 'ClaudeChatShell'

-- Bytes. A command is parsed in one step, which takes a few milliseconds at this size.
local LARGEST = 4000
-- Begins a row that continues a line of the command.
local GOES_ON = '  ┊ '

local marks = api.nvim_create_namespace('claude_ide_chat_mark')
-- The namespace of all colours in a transcript, which are cleared together with their lines.
local colours = api.nvim_create_namespace('claude_ide_chat_code')

---@class claude_ide.ShellPiece
---@field row integer
---@field column integer in the row
---@field from integer in the line of the command
---@field size integer

-- The lines of a command, and the pieces of each line, from the highlighted rows.
---@return string[] lines
---@return claude_ide.ShellPiece[][] pieces
local function read(bufnr, first, last)
  local lines, pieces = {}, {}
  local range = { { first, 0 }, { last, -1 } }
  for _, mark in
    ipairs(api.nvim_buf_get_extmarks(bufnr, marks, range[1], range[2], { details = true }))
  do
    local row, column, details = mark[2], mark[3], mark[4]
    if details and details.hl_group == M.GROUP then
      local line = api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]
      local text = line:sub(column + 1, details.end_col)
      if #lines == 0 or not vim.startswith(line, GOES_ON) then
        table.insert(lines, '')
        table.insert(pieces, {})
      end
      local piece = { row = row, column = column, from = #lines[#lines], size = #text }
      table.insert(pieces[#pieces], piece)
      lines[#lines] = lines[#lines] .. text
    end
  end
  return lines, pieces
end

local function set_colour(bufnr, piece, first, last, group, priority)
  local from, to = math.max(first, piece.from), math.min(last, piece.from + piece.size)
  if from < to then
    api.nvim_buf_set_extmark(bufnr, colours, piece.row, piece.column + from - piece.from, {
      end_col = piece.column + to - piece.from,
      hl_group = group,
      priority = priority,
      strict = false,
    })
  end
end

-- The row and the column of each line's first byte, and those of a byte in the text.
local function locate(lines)
  local starts, at = {}, 1
  for row, line in ipairs(lines) do
    starts[row], at = at, at + #line + 1
  end
  return function(byte)
    local row = #starts
    while starts[row] > byte do
      row = row - 1
    end
    return row - 1, byte - starts[row]
  end
end

local function each_word(text, lines, emit)
  local place = locate(lines)
  shell_words.each(text, function(first, last, name)
    local row, column = place(first)
    local last_row, last_column = place(last)
    emit({ row, column, last_row, last_column + 1 }, ('@%s.bash'):format(name), captures.PRIORITY)
  end)
end

local function colour(bufnr, first, last)
  local lines, pieces = read(bufnr, first, last)
  local text = table.concat(lines, '\n')
  if text == '' or #text > LARGEST then
    return
  end
  local function emit(range, group, priority)
    for row = range[1], math.min(range[3], #lines - 1) do
      local from = row == range[1] and range[2] or 0
      local to = row == range[3] and range[4] or #lines[row + 1]
      for _, piece in ipairs(pieces[row + 1]) do
        set_colour(bufnr, piece, from, to, group, priority)
      end
    end
  end
  local language = captures.language('sh')
  if not language then
    each_word(text, lines, emit)
  elseif not hazard.find(text, language) then
    local tree = vim.treesitter.get_string_parser(text, language):parse()[1]
    captures.each(text, tree, language, emit)
  end
end

local function has_command(edit)
  local list = type(edit.marks) == 'table' and edit.marks or {}
  return vim.iter(list):any(function(mark)
    return mark[5] == M.GROUP
  end)
end

--- Colour the command of the request to which an edit belongs.
---@param bufnr integer
---@param parts claude_ide.ChatParts
---@param edit claude_ide.ChatEdit that was applied
function M.add(bufnr, parts, edit)
  local part = has_command(edit)
    and chat_parts.at(bufnr, parts, edit.first + math.max(#edit.lines - 1, 0))
  if not part then
    return
  end
  local last = chat_parts.last_row(bufnr, part)
  api.nvim_buf_clear_namespace(bufnr, colours, part.row, last + 1)
  colour(bufnr, part.row, last)
end

return M
