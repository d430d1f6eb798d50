--- Formats files for the model with the user's own formatters. The host decides what to propose to the user.
local edits = require('claude_ide.tools.edits')
local file_edit = require('claude_ide.file.edit')
local format_choice = require('claude_ide.format.choice')
local place = require('claude_ide.tools.place')
local reason = require('claude_ide.say.reason')

local M = {}

local api = vim.api

local function lines_of(bufnr)
  return api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

local function names(formatters)
  return vim.tbl_map(function(formatter)
    return formatter.name
  end, formatters)
end

-- Run a formatter. `done` gets what `format` answers. Returns what ends it.
---@param bufnr integer
---@param path string
---@param formatter claude_ide.Formatter
---@param others string[]
---@param done fun(answer: table)
---@return fun()? stop
local function run(bufnr, path, formatter, others, done)
  local before = lines_of(bufnr)
  local function formatted(err, lines)
    if not api.nvim_buf_is_loaded(bufnr) or not vim.deep_equal(before, lines_of(bufnr)) then
      return done({ error = path .. ' was changed meanwhile; call the tool again' })
    end
    local found = { name = formatter.name, others = others }
    local ok, failure = pcall(function()
      found.text = edits.text(bufnr, path)
      found.lines = file_edit.in_buffer(lines and lines() or before)
    end)
    if err or not ok then
      found.failure = reason.of(err or failure)
    end
    done(found)
  end
  local ok, stop = pcall(formatter.format, formatted)
  if ok then
    return stop
  end
  formatted(reason.of(stop))
end

--- Have one of a file's formatters format it. Answers its `name`, those of the `others` after it, the present
--- `text` (as in `edits`), and the `lines` that it would become or the `failure`.
---@param arguments { file: string, index: integer } from 0
---@param answer claude_ide.ToolAnswer
function M.format(arguments, answer)
  local bufnr, is_cold = place.buffer(arguments.file)
  local is_cancelled, stop
  format_choice.find(bufnr, is_cold, function(formatters)
    local formatter = (formatters or {})[arguments.index + 1]
    if is_cancelled then
      return
    elseif not formatter then
      return answer({ error = arguments.file .. ' has no formatter' })
    end
    local others = names(vim.list_slice(formatters, arguments.index + 2))
    stop = run(bufnr, arguments.file, formatter, others, answer)
  end)
  return function()
    is_cancelled = true
    if stop then
      stop()
    end
  end
end

return M
