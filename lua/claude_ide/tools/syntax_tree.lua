--- Parses a copy of a file's text for the model's tools, in slices and without any effect on the buffer.
local hazard = require('claude_ide.colouring.hazard')
local place = require('claude_ide.tools.place')
local reason = require('claude_ide.messages.reason')
local slices = require('claude_ide.timing.slices')
local window_close = require('claude_ide.window.close')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local api = vim.api

local PORTION = 2000 -- lines that are read at once
local ROWS = 100 -- that are searched at once
local MOST_CAPTURES = 50000
local LONGEST_TEXT = 2400 -- bytes of a node's first line
local LONGEST = 3000 -- milliseconds of work, without pauses
-- Bytes of a text whose tree takes milliseconds to free, and kB that are collected at once.
local LARGE = 50000
local STEP = 100

---@class claude_ide.SyntaxSource
---@field language string
---@field text string
---@field lines string[]
---@field pause claude_ide.Pause

---@class claude_ide.SyntaxTree: claude_ide.SyntaxSource
---@field root TSNode

local function parsers()
  local names = {}
  for _, path in ipairs(api.nvim_get_runtime_file('parser/*', true)) do
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

-- The lines of a buffer. Reading starts over if it changes.
local function read(bufnr, pause)
  local lines, tick = {}, nil
  repeat
    if not api.nvim_buf_is_loaded(bufnr) then
      error('the file was closed', 0)
    end
    if tick ~= api.nvim_buf_get_changedtick(bufnr) then
      lines, tick = {}, api.nvim_buf_get_changedtick(bufnr)
    end
    local portion = api.nvim_buf_get_lines(bufnr, #lines, #lines + PORTION, false)
    vim.list_extend(lines, portion)
    pause()
  until #portion < PORTION
  return lines
end

-- Call `fn` with a buffer of these lines, made and removed without events.
local function with_copy(lines, pause, fn)
  local copy = without_events.run('all', function()
    return api.nvim_create_buf(false, true)
  end)
  vim.bo[copy].undolevels = -1
  local ok, result = pcall(function()
    for first = 0, #lines, PORTION do
      local portion = vim.list_slice(lines, first + 1, first + PORTION)
      api.nvim_buf_set_lines(copy, first, -1, false, portion)
      pause()
    end
    return fn(copy)
  end)
  without_events.run('all', function()
    window_close.buffer(copy)
  end)
  if not ok then
    error(result, 0)
  end
  return result
end

-- Neovim parses a buffer in slices, and since 0.12 a string all at once.
local function parsed(lines, language, pause)
  return with_copy(lines, pause, function(copy)
    -- Without the query for injections, because no question is about their trees.
    local parser = vim.treesitter.get_parser(copy, language, { injections = { [language] = '' } })
    local problem, trees
    pause(function(resume)
      assert(parser):parse(nil, function(...)
        problem, trees = ...
        vim.schedule(resume)
      end)
    end)
    if problem or not (trees and trees[1]) then
      error(('the file could not be parsed: %s'):format(problem or 'no tree'), 0)
    end
    return trees[1]:root()
  end)
end

local function refused(path, obstacle)
  error(('%s is not parsed, because of %s'):format(vim.fn.strtrans(path), obstacle), 0)
end

local function source_of(bufnr, path, language, pause)
  local lines = read(bufnr, pause)
  local text = table.concat(lines, '\n') .. '\n'
  local obstacle = hazard.find(text, language)
  if obstacle then
    refused(path, obstacle)
  end
  return { language = language, text = text, lines = lines, pause = pause }
end

-- Lua frees a tree as a whole. If several were garbage at the same time, it could free all of them at once.
local function free()
  local cycles = 0
  slices.steps(function()
    cycles = cycles + (collectgarbage('step', STEP) and 1 or 0)
    return cycles < 2
  end)
end

--- Read a file for a parser, and answer what `fn` returns. It runs in slices, too (`source.pause`).
---
--- Raises an error that says why the file cannot be parsed.
---@param path string
---@param answer claude_ide.ToolAnswer
---@param fn fun(source: claude_ide.SyntaxSource): table
---@return fun() cancel
function M.read(path, answer, fn)
  local bufnr = place.buffer(path)
  local language = language_of(bufnr, path)
  local size = api.nvim_buf_get_offset(bufnr, api.nvim_buf_line_count(bufnr))
  local obstacle = hazard.find('', language, size)
  if obstacle then
    refused(path, obstacle)
  end
  return slices.run(function(pause)
    return fn(source_of(bufnr, path, language, pause))
  end, function(ok, result)
    answer(ok and result or { error = reason.of(result) })
    if size > LARGE then
      vim.schedule(free)
    end
  end)
end

--- Parse a file, and answer what `fn` returns. It runs in slices, too (`tree.pause`).
---
--- Raises an error that says why the file cannot be parsed.
---@param path string
---@param answer claude_ide.ToolAnswer
---@param fn fun(tree: claude_ide.SyntaxTree): table
---@return fun() cancel
function M.use(path, answer, fn)
  return M.read(path, answer, function(source)
    local root = parsed(source.lines, source.language, source.pause)
    return fn(vim.tbl_extend('error', source, { root = root }))
  end)
end

---@class claude_ide.CaptureSearch
---@field query vim.treesitter.Query
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

--- Call `fn` with each capture of a query, its id and node; a node of two parts comes twice.
---
--- Raises an error if there are too many captures, or too much work.
---@param tree claude_ide.SyntaxTree
---@param search claude_ide.CaptureSearch
---@param fn fun(id: integer, node: TSNode)
function M.captures(tree, search, fn)
  local limits = search.matches and { match_limit = search.matches } or nil
  local count, before = 0, tree.pause()
  local function check()
    if tree.pause() - before > LONGEST then
      error('it takes too long', 0)
    elseif count > MOST_CAPTURES then
      error(('it captures more than %d nodes'):format(MOST_CAPTURES), 0)
    end
  end
  for _, part in ipairs(parts(tree, search)) do
    for id, node in search.query:iter_captures(tree.root, tree.text, part[1], part[2], limits) do
      count = count + 1
      fn(id, node)
      check()
    end
    check()
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

--- The first line of a node's text, without the rest of the line after the node, up to a limit.
---@param tree claude_ide.SyntaxTree
---@param node TSNode
---@return string
function M.first_line(tree, node)
  local row, col, end_row, end_col = node:range()
  local line = tree.lines[row + 1] or ''
  local part = line:sub(col + 1, math.min(end_row == row and end_col or #line, col + LONGEST_TEXT))
  return vim.trim(part)
end

return M
