--- Shows the user something for the model, without taking the user away from what they do.
local file_load = require('claude_ide.file.load')
local location = require('claude_ide.window.location')
local moment = require('claude_ide.timing.moment')
local open_files = require('claude_ide.file.open')
local place = require('claude_ide.tools.place')
local plain = require('claude_ide.messages.plain')

local M = {}

local api = vim.api

local TALLEST = 10 -- lines of the quickfix window
local namespace = api.nvim_create_namespace('claude_ide_shown')

-- Not in a terminal or a chat, where the user may go on typing, nor in a selection of theirs.
local function may_move_focus()
  local has_selected = vim.fn.mode():find('^[vV\22]') ~= nil and not moment.is_claudes_visual()
  return vim.bo.buftype == '' and not has_selected
end

--- Open a file at a place. The focus follows if the user is in a file and does nothing there.
---@type claude_ide.Tool
function M.open(arguments)
  return open_files.open_file({
    path = arguments.file,
    make_frontmost = may_move_focus(),
    line = arguments.line,
    end_line = arguments.end_line,
  })
end

--- Open the window of the quickfix list without entering it, as soon as that disturbs nobody.
---@type claude_ide.Tool
function M.open_list(arguments, answer)
  moment.when_free(function()
    local here = location.current()
    vim.cmd(('botright copen %d'):format(math.max(2, math.min(arguments.count, TALLEST))))
    location.go_back(here)
    answer({})
  end, function(problem)
    answer({ error = problem })
  end)
end

-- Load the file of a range. Raises an error if it has no such line.
local function load(range)
  local bufnr, refusal = file_load.add(range.file)
  if not bufnr then
    error(refusal, 0)
  end
  local _, problem = file_load.hidden(bufnr)
  if problem then
    error(('%s: %s'):format(range.file, problem), 0)
  end
  vim.bo[bufnr].buflisted = true
  place.existing_line(bufnr, range.line)
  return bufnr
end

local function mark(bufnr, range)
  local row = range.line - 1
  local last = math.min(range.end_line or range.line, api.nvim_buf_line_count(bufnr))
  local note = range.note and '  ' .. plain.one_line(range.note)
  api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
    end_row = math.max(last, row + 1),
    hl_group = 'ClaudeShown',
    hl_eol = true,
    strict = false,
    virt_text = note and { { note, 'ClaudeShownNote' } } or nil,
  })
end

--- Highlight lines, with notes, until the user dismisses them. All, or none after an error.
---@type claude_ide.Tool
function M.highlight(arguments)
  local bufnrs = vim.tbl_map(load, arguments.ranges)
  for index, range in ipairs(arguments.ranges) do
    if api.nvim_buf_is_loaded(bufnrs[index]) then
      mark(bufnrs[index], range)
    end
  end
  return {}
end

--- Remove all highlights.
---@type claude_ide.Tool
function M.dismiss(_)
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(bufnr) then
      api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    end
  end
  return {}
end

return M
