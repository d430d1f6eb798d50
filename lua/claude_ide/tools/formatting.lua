--- Formats files for the model with the user's own formatters. The new text is only computed: the user
--- reviews it before it is applied.
local file_edit = require('claude_ide.file.edit')
local format_choice = require('claude_ide.format.choice')
local place = require('claude_ide.tools.place')
local reason = require('claude_ide.say.reason')
local rebase = require('claude_ide.file.rebase')
local workspace_edit = require('claude_ide.tools.workspace_edit')

local M = {}

local api = vim.api

local LINEMATCH = 60

---@class claude_ide.FormattingRun
---@field bufnr integer
---@field path string
---@field first? integer the lines to format, 1-based; nil for all
---@field last? integer
---@field formatters claude_ide.Formatter[]
---@field lines string[] the text of the buffer
---@field asked string[] names of the formatters that change nothing
---@field failures string[]
---@field answer claude_ide.ToolAnswer
---@field is_cancelled? boolean
---@field index? integer of the formatter that is running
---@field stop? fun() ends it

local function lines_of(bufnr)
  return api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

-- Whether rows touch some lines. An insertion touches the line after it.
local function touches(row, stop, first, last)
  return row < last and math.max(stop, row + 1) >= first
end

-- A hunk with as many lines as before consists of changes of single lines.
local function split(hunk)
  local start, count, from, added = unpack(hunk)
  if count ~= added then
    return { hunk }
  end
  local single = {}
  for index = 0, count - 1 do
    single[#single + 1] = { start + index, 1, from + index, 1 }
  end
  return single
end

-- The lines with only those changes that touch some lines.
local function within(before, after, first, last)
  local lines = before
  local hunks = vim.iter(rebase.hunks(before, after, { linematch = LINEMATCH }))
  for _, hunk in hunks:map(split):flatten():rev():enumerate() do
    local start, count, from, added = unpack(hunk)
    local row, stop = rebase.rows(start, count)
    if touches(row, stop, first, last) then
      lines = rebase.splice(lines, row, stop, vim.list_slice(after, from, from + added - 1))
    end
  end
  return lines
end

local function names_after(formatters, index)
  return vim.tbl_map(function(formatter)
    return formatter.name
  end, vim.list_slice(formatters, index + 1))
end

-- Answer with the result of a formatter, if it changes something.
---@param run claude_ide.FormattingRun
---@param index integer
---@param lines string[]
---@return boolean is_answered
local function propose(run, index, lines)
  local after = file_edit.in_buffer(lines)
  after = run.first and within(run.lines, after, run.first, run.last) or after
  local file = workspace_edit.changed(run.bufnr, run.path, after)
  if not file then
    return false
  end
  run.answer({
    files = { file },
    server = run.formatters[index].name,
    others = names_after(run.formatters, index),
  })
  return true
end

---@param run claude_ide.FormattingRun
local function conclude(run)
  if #run.asked == 0 then
    return run.answer({ error = table.concat(run.failures, '; ') })
  end
  run.answer({
    files = {},
    server = table.concat(run.asked, ' and '),
    failures = run.failures,
  })
end

-- Each further formatter would format the result of the one before. So the first that changes something ends
-- the run.
---@param run claude_ide.FormattingRun
---@param index integer
local function try(run, index)
  local formatter = run.formatters[index]
  if not formatter then
    return conclude(run)
  end
  run.index = index
  local function done(err, lines)
    local bufnr = run.bufnr
    if run.is_cancelled then
      return
    elseif not api.nvim_buf_is_loaded(bufnr) or not vim.deep_equal(run.lines, lines_of(bufnr)) then
      return run.answer({ error = run.path .. ' was changed meanwhile; call the tool again' })
    end
    local ok, result = err == nil, err
    if ok then
      ok, result = pcall(function()
        return propose(run, index, lines and lines() or run.lines)
      end)
    end
    if ok and result then
      return
    elseif ok then
      table.insert(run.asked, formatter.name)
    else
      table.insert(run.failures, ('%s: %s'):format(formatter.name, reason.of(result)))
    end
    try(run, index + 1)
  end
  local ok, stop = pcall(formatter.format, done)
  if not ok then
    return done(reason.of(stop))
  elseif run.index == index then
    run.stop = stop
  end
end

--- Answers the formatted file as the only one of `files`, or none.
---@param arguments { file: string, line?: integer, end_line?: integer }
---@param answer claude_ide.ToolAnswer
function M.format(arguments, answer)
  local bufnr, is_cold = place.buffer(arguments.file)
  local run = { bufnr = bufnr, path = arguments.file, asked = {}, failures = {}, answer = answer }
  if type(arguments.line) == 'number' then
    local last = arguments.end_line
    run.first, run.last = arguments.line, type(last) == 'number' and last or arguments.line
  end
  format_choice.find(bufnr, is_cold, function(formatters)
    if run.is_cancelled then
      return
    elseif not formatters or #formatters == 0 then
      return answer({ error = run.path .. ' has no formatter' })
    end
    run.formatters, run.lines = formatters, lines_of(bufnr)
    try(run, 1)
  end)
  return function()
    run.is_cancelled = true
    if run.stop then
      run.stop()
    end
  end
end

return M
