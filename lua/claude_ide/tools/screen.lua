--- The model's questions about what the user sees, and where the user was.
local buffers = require('claude_ide.file.buffers')
local file_path = require('claude_ide.file.path')
local place = require('claude_ide.tools.place')
local quoting = require('claude_ide.tools.quoting')
local selection = require('claude_ide.selection')

local M = {}

local api = vim.api

local LONGEST = 300 -- bytes of a line on the screen
local MOST_JUMPS = 50

-- Where there is no column, Neovim says -1.
local function column(text, col)
  return place.column(text, math.max(col, 0))
end

local function line_of(bufnr, line)
  return api.nvim_buf_get_lines(bufnr, line - 1, line, false)[1] or ''
end

local function name_of(bufnr)
  return file_path.path(bufnr) or api.nvim_buf_get_name(bufnr)
end

-- Floats are decoration, unless the user is in one or it shows a file.
local function is_ordinary(window)
  return api.nvim_win_get_config(window).relative == ''
    or window == api.nvim_get_current_win()
    or file_path.path(api.nvim_win_get_buf(window)) ~= nil
end

-- The lines on the screen, by their numbers, without those that quote private files. Of a closed fold, which
-- may hide most of a file, only the first one is there.
local function shown_lines(window, bufnr, first, last)
  local shown, line, is_quoting = {}, first, quoting.checker(bufnr)
  while line <= last do
    local text = line_of(bufnr, line)
    local end_of_fold = api.nvim_win_call(window, function()
      return vim.fn.foldclosedend(line)
    end)
    if not is_quoting(line, text) then
      shown[#shown + 1] = {
        line = line,
        text = #text > LONGEST and text:sub(1, LONGEST) .. '…' or text,
        folded_to = end_of_fold > 0 and end_of_fold or nil,
      }
    end
    line = math.max(line, end_of_fold) + 1
  end
  return shown
end

local function described(window, has_text)
  local bufnr = api.nvim_win_get_buf(window)
  local line, col = unpack(api.nvim_win_get_cursor(window))
  local info = vim.fn.getwininfo(window)[1]
  return {
    window = info.winnr,
    bufnr = bufnr,
    tabpage = info.tabnr,
    name = name_of(bufnr),
    buftype = vim.bo[bufnr].buftype,
    filetype = vim.bo[bufnr].filetype,
    line = line,
    column = column(line_of(bufnr, line), col),
    first = info.topline,
    last = info.botline,
    is_current = window == api.nvim_get_current_win(),
    lines = has_text and shown_lines(window, bufnr, info.topline, info.botline) or nil,
  }
end

--- The windows of the current tab page, with the lines that they show.
---@type claude_ide.Tool
function M.windows(arguments, answer)
  local windows = vim.tbl_filter(is_ordinary, api.nvim_tabpage_list_wins(0))
  answer({
    tabpages = #api.nvim_list_tabpages(),
    windows = vim.tbl_map(function(window)
      local is_private = place.is_private(api.nvim_win_get_buf(window))
      return described(window, arguments.text and not is_private)
    end, windows),
  })
end

-- A position of LSP as one for the model.
local function described_position(position, text)
  return {
    line = position.line + 1,
    column = column(text, vim.str_byteindex(text, 'utf-16', position.character, false)),
  }
end

--- What the user has selected, or where the cursor is, in the file where the user was last.
---@type claude_ide.Tool
function M.selection(_, answer)
  local latest = selection.latest()
  if not latest then
    return answer({})
  end
  local range = latest.selection
  local found = buffers.find(latest.filePath)
  local function at(position)
    local text = found and line_of(found.bufnr, position.line + 1) or ''
    return described_position(position, text)
  end
  answer({
    path = latest.filePath,
    text = latest.text,
    is_empty = range.isEmpty,
    first = at(range.start),
    last = at(range['end']),
  })
end

local function mark_place(mark)
  local bufnr, line, col = mark.pos[1], mark.pos[2], mark.pos[3]
  local text = bufnr > 0 and api.nvim_buf_is_loaded(bufnr) and line_of(bufnr, line) or ''
  return {
    name = mark.mark:sub(2),
    path = mark.file and vim.fs.normalize(mark.file) or '',
    line = line,
    column = text == '' and math.max(col, 1) or column(text, col - 1),
    text = vim.trim(text:sub(1, LONGEST)),
  }
end

-- The marks a to z and A to Z; the others are positions of the last change, jump and so on.
local function is_set_by_user(mark)
  return mark.mark:match("^'%a$") ~= nil
end

--- The marks that the user has set: those of the current file, or of another, and the global ones.
---@type claude_ide.Tool
function M.marks(arguments, answer)
  local bufnr = api.nvim_win_get_buf(place.window())
  if arguments.file then
    bufnr = place.open_buffer(arguments.file, ', so its marks are unknown')
  end
  local marks = {}
  for _, mark in ipairs(vim.fn.getmarklist(bufnr)) do
    if is_set_by_user(mark) then
      marks[#marks + 1] = vim.tbl_extend('force', mark_place(mark), { path = name_of(bufnr) })
    end
  end
  for _, mark in ipairs(vim.fn.getmarklist()) do
    if is_set_by_user(mark) then
      marks[#marks + 1] = mark_place(mark)
    end
  end
  answer({ marks = marks })
end

-- One entry of the jump list or the change list.
local function visited(bufnr, entry)
  if not api.nvim_buf_is_valid(bufnr) then
    return nil
  end
  local text = api.nvim_buf_is_loaded(bufnr) and line_of(bufnr, entry.lnum) or ''
  return {
    path = name_of(bufnr),
    line = entry.lnum,
    column = column(text, entry.col),
    text = vim.trim(text:sub(1, LONGEST)),
  }
end

local function latest_first(entries, bufnr_of)
  local found = {}
  for index = #entries, math.max(1, #entries - MOST_JUMPS + 1), -1 do
    found[#found + 1] = visited(bufnr_of(entries[index]), entries[index])
  end
  return found
end

--- Where the user has been in the current window, and where the current file was changed.
---@type claude_ide.Tool
function M.jumps(_, answer)
  local window = place.window()
  local current = api.nvim_win_get_buf(window)
  local jumps, changes = vim.fn.getjumplist(window)[1], vim.fn.getchangelist(current)[1]
  answer({
    jumps = latest_first(jumps, function(entry)
      return entry.bufnr
    end),
    changes = latest_first(changes, function()
      return current
    end),
  })
end

return M
