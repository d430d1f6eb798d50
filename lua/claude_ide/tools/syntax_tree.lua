--- Parses a copy of a file's text for the model's tools, in slices and without any effect on the buffer.
local buffer_text = require('claude_ide.file.text')
local hazard = require('claude_ide.colouring.hazard')
local place = require('claude_ide.tools.place')

local M = {}

local ROWS = 1000 -- in a part
local MOST_CAPTURES = 50000
-- Milliseconds.
local SLICE = 8
local PAUSE = 1
local LONGEST = 3000 -- of work, without pauses

---@class claude_ide.SyntaxTree
---@field root TSNode
---@field language string
---@field text string
---@field lines string[]

local function parsers()
  local names = {}
  for _, path in ipairs(vim.api.nvim_get_runtime_file('parser/*', true)) do
    names[vim.fn.fnamemodify(path, ':t:r')] = true
  end
  local sorted = vim.tbl_keys(names)
  table.sort(sorted)
  return table.concat(sorted, ', ')
end

-- The language of a buffer.
local function language_of(bufnr, path)
  local filetype = vim.bo[bufnr].filetype
  if filetype == '' then
    filetype = vim.filetype.match({ buf = bufnr, filename = path }) or ''
  end
  local language = vim.treesitter.language.get_lang(filetype) or filetype
  if language ~= '' and (vim.treesitter.language.add(language)) then
    return language
  end
  local named = filetype == '' and 'this file, whose type is unknown' or filetype
  error(('no tree-sitter parser for %s; there are: %s'):format(named, parsers()), 0)
end

--- Parse a file.
---
--- Raises an error that says why it cannot be parsed.
---@param path string
---@param done fun(tree: claude_ide.SyntaxTree|{ error: string })
---@return fun() cancel
function M.parse(path, done)
  local bufnr = place.buffer(path)
  local language = language_of(bufnr, path)
  local text = buffer_text.get(bufnr)
  local parsed = buffer_text.parse(text)
  if parsed.bomb then
    text = text:sub(4)
  end
  local obstacle = hazard.find(text, language)
  if obstacle then
    error(('%s is not parsed, because of %s'):format(path, obstacle), 0)
  end
  local is_cancelled = false
  vim.treesitter.get_string_parser(text, language):parse(nil, function(problem, trees)
    if is_cancelled then
      return
    elseif problem or not (trees and trees[1]) then
      return done({ error = ('%s could not be parsed: %s'):format(path, problem or 'no tree') })
    end
    done({
      root = trees[1]:root(),
      language = language,
      text = text,
      lines = parsed.lines,
    })
  end)
  return function()
    is_cancelled = true
  end
end

---@class claude_ide.CaptureSearch
---@field queries vim.treesitter.Query[]
---@field row? integer 0-based: only nodes around it
---@field rows? integer how many rows are searched at once
---@field matches? integer how many may be in progress

-- The parts of a file that a query is run on: without matches it searches a whole part at once.
local function parts(tree, search)
  if search.row then
    return { { search.row, search.row + 1 } }
  end
  local found = {}
  local rows = search.rows or ROWS
  for row = 0, #tree.lines, rows do
    found[#found + 1] = { row, row + rows }
  end
  return found
end

-- A function that returns the next capture: its query, id and node; nil after the last.
local function iterator(tree, search)
  local limits = search.matches and { match_limit = search.matches } or nil
  return coroutine.wrap(function()
    for _, part in ipairs(parts(tree, search)) do
      for _, query in ipairs(search.queries) do
        local captures = query:iter_captures(tree.root, tree.text, part[1], part[2], limits)
        for id, node in captures do
          coroutine.yield(query, id, node)
        end
        coroutine.yield(query)
      end
    end
  end)
end

--- Call `fn` with each capture of queries, in slices; a node of two parts comes twice.
---@param tree claude_ide.SyntaxTree
---@param search claude_ide.CaptureSearch
---@param fn fun(query: vim.treesitter.Query, id: integer, node: TSNode)
---@param done fun(problem?: string) with a reason if there are too many captures, or too much work
---@return fun() cancel
function M.captures(tree, search, fn, done)
  local next_capture, count, spent = iterator(tree, search), 0, 0
  local is_cancelled = false
  local function run()
    local began = vim.uv.hrtime()
    local elapsed = 0
    while elapsed < SLICE and not is_cancelled do
      local query, id, node = next_capture()
      if not query then
        return done()
      elseif id then
        count = count + 1
        fn(query, id, node)
      end
      elapsed = (vim.uv.hrtime() - began) / 1e6
    end
    spent = spent + elapsed
    if is_cancelled then
      return
    elseif count > MOST_CAPTURES then
      return done(('it captures more than %d nodes'):format(MOST_CAPTURES))
    elseif spent > LONGEST then
      return done('it takes too long')
    end
    vim.defer_fn(run, PAUSE)
  end
  run()
  return function()
    is_cancelled = true
  end
end

--- A byte column as a column for the model: in characters, from 1.
---@param tree claude_ide.SyntaxTree
---@param row integer 0-based
---@param col integer bytes, 0-based
---@return integer
function M.column(tree, row, col)
  return place.column(tree.lines[row + 1] or '', col)
end

---@class claude_ide.SyntaxRange
---@field line integer
---@field column integer
---@field end_line integer
---@field end_column integer the column after the last character

---@param tree claude_ide.SyntaxTree
---@param node TSNode
---@return claude_ide.SyntaxRange
function M.range(tree, node)
  local row, col, end_row, end_col = node:range()
  if end_col == 0 and end_row > row then
    -- A node that ends with its line.
    end_row = end_row - 1
    end_col = #(tree.lines[end_row + 1] or '')
  end
  return {
    line = row + 1,
    column = M.column(tree, row, col),
    end_line = end_row + 1,
    end_column = M.column(tree, end_row, end_col),
  }
end

--- The first line of a node's text, without the rest of the line after the node.
---@param tree claude_ide.SyntaxTree
---@param node TSNode
---@return string
function M.first_line(tree, node)
  local row, col, end_row, end_col = node:range()
  local line = tree.lines[row + 1] or ''
  return vim.trim(line:sub(col + 1, end_row == row and end_col or #line))
end

return M
