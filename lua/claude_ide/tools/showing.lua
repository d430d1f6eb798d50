--- Shows the user something for the model, without taking the user away from what they do.
local buffers = require('claude_ide.file.buffers')
local file_load = require('claude_ide.file.load')
local location = require('claude_ide.window.location')
local moment = require('claude_ide.timing.moment')
local open_files = require('claude_ide.file.open')
local path_gate = require('claude_ide.file.gate')
local place = require('claude_ide.tools.place')
local plain = require('claude_ide.messages.plain')
local reason = require('claude_ide.messages.reason')
local slices = require('claude_ide.timing.slices')

local M = {}

local api = vim.api

local PORTION = 20 -- entries that are added at once
local TALLEST = 10 -- lines of the quickfix window
local LONGEST_NOTE = 200 -- characters
local namespace = api.nvim_create_namespace('claude_ide_shown')

-- Not in a terminal or a chat, where the user may go on typing, nor in a selection of theirs.
local function may_move_focus()
  local has_selected = vim.fn.mode():find('^[vV\22]') ~= nil and not moment.is_claudes_visual()
  return vim.bo.buftype == '' and not has_selected
end

--- Open a file at a place. The focus follows if the user is in a file and does nothing there.
---@type claude_ide.Tool
function M.open(arguments, answer)
  answer(open_files.open_file({
    path = arguments.file,
    make_frontmost = may_move_focus(),
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

-- Open the window of the quickfix list without entering it.
local function open_window(count)
  local here = location.current()
  vim.cmd(('botright copen %d'):format(math.max(2, math.min(count, TALLEST))))
  location.go_back(here)
end

-- Functions that read and set a list: the quickfix list, or the location list of the window that the user
-- works in.
local function access(list)
  if list ~= 'location' then
    return vim.fn.getqflist, function(action, what)
      vim.fn.setqflist({}, action, what)
    end
  end
  local window = place.window()
  return function(what)
    return vim.fn.getloclist(window, what)
  end, function(action, what)
    vim.fn.setloclist(window, {}, action, what)
  end
end

local function is_ours(context)
  return type(context) == 'table' and context.claude_ide == true
end

-- Put entries into a list: into the current one if they are appended, or if it is one that a model has set;
-- otherwise into a new one after all others, so that the user's lists remain.
local function put(arguments, entries, pause)
  local read, set = access(arguments.list)
  local current = read({ id = 0, context = 1 })
  local what = { title = plain.one_line(arguments.title), context = { claude_ide = true } }
  if arguments.how == 'new' or not is_ours(current.context) then
    what.nr = '$'
  else
    what.id = current.id
  end
  if arguments.how == 'append' and current.id ~= 0 then
    what = { id = current.id }
  else
    set(what.id and 'r' or ' ', vim.tbl_extend('error', what, { items = {} }))
    what = { id = what.id or read({ id = 0 }).id }
  end
  for first = 1, #entries, PORTION do
    what.items = vim.list_slice(entries, first, first + PORTION - 1)
    set('a', what)
    pause()
  end
end

-- Call `fn` in slices.
local function sliced(fn, answer)
  return slices.run(fn, function(ok, result)
    answer(ok and result or { error = reason.of(result) })
  end)
end

--- Set the quickfix list, or the location list of the window that the user works in.
---@type claude_ide.Tool
function M.list(arguments, answer)
  return sliced(function(pause)
    local entries = vim.tbl_map(function(item)
      pause()
      return entry(item)
    end, arguments.entries)
    put(arguments, entries, pause)
    if arguments.open then
      pause(function(resume)
        moment.when_free(resume, function(problem)
          answer({ error = problem })
        end)
      end)
      open_window(#entries)
    end
    return { count = #entries }
  end, answer)
end

local function shortened(note)
  local line = plain.one_line(note)
  return vim.fn.strchars(line) > LONGEST_NOTE and vim.fn.strcharpart(line, 0, LONGEST_NOTE) .. '…'
    or line
end

-- Load the file of a range. Raises an error if it has no such line.
local function load(range)
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
  place.position(bufnr, { line = range.line })
  return bufnr
end

local function mark(bufnr, range)
  local row = range.line - 1
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

--- Highlight lines, with notes, until the user dismisses them. All, or none after an error.
---@type claude_ide.Tool
function M.highlight(arguments, answer)
  return sliced(function(pause)
    local bufnrs = vim.tbl_map(function(range)
      pause()
      return load(range)
    end, arguments.ranges)
    for index, range in ipairs(arguments.ranges) do
      if api.nvim_buf_is_loaded(bufnrs[index]) then
        mark(bufnrs[index], range)
      end
    end
    return { count = #arguments.ranges }
  end, answer)
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
