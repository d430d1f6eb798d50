--- Shows the user something for the model, without taking the user away from what they do.
local buffers = require('claude_ide.file.buffers')
local file_load = require('claude_ide.file.load')
local moment = require('claude_ide.when.moment')
local open_files = require('claude_ide.file.open')
local path_gate = require('claude_ide.file.gate')
local place = require('claude_ide.tools.place')
local plain = require('claude_ide.say.plain')

local M = {}

local api = vim.api

local TALLEST = 10 -- lines of the quickfix window
local LONGEST_NOTE = 200 -- characters
local namespace = api.nvim_create_namespace('claude_ide_shown')

--- Open a file at a place. The focus follows if the user is in a file, and not if they are in a terminal or
--- a chat, where they may go on typing.
---@type claude_ide.Tool
function M.open(arguments, answer)
  answer(open_files.open_file({
    path = arguments.file,
    make_frontmost = vim.bo.buftype == '',
    line = arguments.line,
    end_line = arguments.end_line,
  }))
end

-- Nil for what JSON leaves out.
local function given(value)
  return value ~= vim.NIL and value or nil
end

---@return integer? col in bytes, 1-based
local function byte_column(path, line, column)
  if not column then
    return nil
  end
  local found = buffers.find(path)
  local text = found
    and found.loaded
    and api.nvim_buf_get_lines(found.bufnr, line - 1, line, false)[1]
  return text and place.byte(text, column) + 1 or column
end

-- An entry of a quickfix list. Raises an error that names a wrong path.
local function entry(item)
  local path, refusal = path_gate.existing(item.file)
  if not path then
    error(refusal, 0)
  end
  local column = given(item.column)
  return {
    filename = path,
    lnum = item.line,
    col = byte_column(path, item.line, column),
    end_lnum = given(item.end_line),
    text = plain.one_line(given(item.text) or ''),
    type = given(item.kind),
  }
end

-- Open the window of a list without entering it.
local function open_window(list, count)
  local height = math.max(2, math.min(count, TALLEST))
  local here = api.nvim_get_current_win()
  vim.cmd(
    list == 'location' and ('lopen %d'):format(height) or ('botright copen %d'):format(height)
  )
  api.nvim_set_current_win(here)
end

--- Set the quickfix list, or the location list of the current window. `action` is that of `setqflist()`:
--- a blank for a new list, `r` to replace the current one, `a` to append to it.
---@type claude_ide.Tool
function M.list(arguments, answer)
  local entries = vim.tbl_map(entry, arguments.entries)
  local what = { items = entries, title = plain.one_line(arguments.title) }
  if arguments.list == 'location' then
    vim.fn.setloclist(0, {}, arguments.action, what)
  else
    vim.fn.setqflist({}, arguments.action, what)
  end
  if not arguments.open or #entries == 0 then
    return answer({ count = #entries })
  end
  return moment.when_free(function()
    open_window(arguments.list, #entries)
    answer({ count = #entries })
  end, function(reason)
    answer({ error = reason })
  end)
end

local function shortened(note)
  local line = plain.one_line(note)
  return vim.fn.strchars(line) > LONGEST_NOTE and vim.fn.strcharpart(line, 0, LONGEST_NOTE) .. '…'
    or line
end

local function mark(range)
  local path, refusal = path_gate.existing(range.file)
  if not path then
    error(refusal, 0)
  end
  local bufnr, failure = file_load.add(path)
  if not bufnr then
    error(failure, 0)
  end
  local _, problem = file_load.hidden(bufnr)
  if problem then
    error(('%s: %s'):format(path, problem), 0)
  end
  vim.bo[bufnr].buflisted = true
  local row = place.position(bufnr, { line = range.line })
  local last = math.min(given(range.end_line) or range.line, api.nvim_buf_line_count(bufnr))
  local note = given(range.note)
  api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
    end_row = math.max(last, row + 1),
    hl_group = 'ClaudeShown',
    hl_eol = true,
    strict = false,
    virt_text = note and { { '  ' .. shortened(note), 'ClaudeShownNote' } } or nil,
  })
end

--- Highlight lines, with notes, until the user dismisses them.
---@type claude_ide.Tool
function M.highlight(arguments, answer)
  for _, range in ipairs(arguments.ranges) do
    mark(range)
  end
  answer({ count = #arguments.ranges })
end

--- Remove all highlights.
function M.dismiss()
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(bufnr) then
      api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    end
  end
end

--- The same for the model.
---@type claude_ide.Tool
function M.clear(_, answer)
  M.dismiss()
  answer({ count = 0 })
end

return M
