--- The marks of an inline diff: added lines are highlighted, removed ones are virtual lines above them, and
--- the words that have changed within a line are marked.
local autocommands = require('claude_ide.messages.autocommands')
local debounce = require('claude_ide.timing.debounce')
local highlights = require('claude_ide.highlights')
local hunks = require('claude_ide.diff.hunks')
local rebase = require('claude_ide.file.rebase')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_diff_inline_marks')
local namespace = api.nvim_create_namespace('claude_ide_inline')

local INTERVAL = 50 -- milliseconds
local MOST_REMOVED = 500 -- lines of one hunk that are shown; nobody scrolls through more
-- Below those of treesitter: code keeps its colours.
local PRIORITY = 90
local LARGEST_HUNK = 100 -- lines
local LONGEST_LINE = 500 -- bytes
local LEAST_COMMON = 0.3 -- of the longer line; lines with less in common are different lines

--- Byte columns by row, ends exclusive.
---@alias claude_ide.LineSpans table<integer, { [1]: integer, [2]: integer }[]>

-- The words of a line, also runs of white space and other characters; and the byte columns between them.
local function words(line)
  local found, columns, column = {}, { 0 }, 1
  while column <= #line do
    local word = line:match('^[%w_\128-\255]+', column) or line:match('^%s+', column)
    found[#found + 1] = word or line:sub(column, column)
    column = column + #found[#found]
    columns[#columns + 1] = column - 1
  end
  return found, columns
end

local function spans_of(columns, changes, side)
  local found, bytes = {}, 0
  for _, hunk in ipairs(changes) do
    local first, last = rebase.rows(hunk[side], hunk[side + 1])
    if last > first then
      table.insert(found, { columns[first + 1], columns[last + 1] })
      bytes = bytes + columns[last + 1] - columns[first + 1]
    end
  end
  return found, bytes
end

local function compare(old, new)
  if old == '' or new == '' or math.max(#old, #new) > LONGEST_LINE then
    return nil
  end
  local before, old_columns = words(old)
  local after, new_columns = words(new)
  local changes = rebase.hunks(before, after)
  local removed, gone = spans_of(old_columns, changes, 1)
  local added, come = spans_of(new_columns, changes, 3)
  local common = math.max(#old - gone, #new - come)
  if common >= LEAST_COMMON * math.max(#old, #new) then
    return removed, added
  end
end

-- The parts of lines that two versions of them do not have in common: those removed and those added, by the
-- index of the line.
local function line_changes(old, new)
  local removed, added, changes = {}, {}, {}
  if #old == #new then
    changes = { { 1, #old, 1, #new } }
  elseif #old > 0 and #new > 0 and #old + #new <= 2 * LARGEST_HUNK then
    changes = rebase.hunks(old, new, { linematch = 60 })
  end
  for _, hunk in ipairs(changes) do
    for offset = 0, math.min(hunk[2], hunk[4], LARGEST_HUNK) - 1 do
      local before, after = hunk[1] + offset, hunk[3] + offset
      removed[before], added[after] = compare(old[before], new[after])
    end
  end
  return removed, added
end

---@class claude_ide.TextArea
---@field width integer columns
---@field wraps boolean

-- Virtual lines are cut off at the edge of the window, unless they are divided.
local function wrapped(chunks, width)
  local rows, room = { {} }, width
  for _, chunk in ipairs(chunks) do
    local text = ''
    for _, character in ipairs(vim.fn.split(chunk[1], '\\zs')) do
      local columns = vim.fn.strdisplaywidth(character, width - room)
      if columns > room and room < width then
        table.insert(rows[#rows], { text, chunk[2] })
        table.insert(rows, {})
        text, room = '', width
      end
      text, room = text .. character, room - columns
    end
    table.insert(rows[#rows], { text, chunk[2] })
  end
  return rows
end

local function removed_lines(lines, removed, area)
  local rows = {} ---@type claude_ide.Chunks[]
  for index, line in ipairs(vim.list_slice(lines, 1, MOST_REMOVED)) do
    local chunks = highlights.removed(line, removed[index])
    local is_short = #line < area.width and not line:find('\t', 1, true)
    vim.list_extend(rows, area.wraps and not is_short and wrapped(chunks, area.width) or { chunks })
    -- The background reaches the edge, where the rest is cut off.
    table.insert(rows[#rows], { (' '):rep(area.width), 'ClaudeIdeRemoved' })
  end
  if #lines > MOST_REMOVED then
    local rest = ('… and %d more lines'):format(#lines - MOST_REMOVED)
    table.insert(rows, { { rest, 'ClaudeIdeRemoved' } })
  end
  return rows
end

local function mark(bufnr, row, column, options)
  options.priority = options.priority or PRIORITY
  options.strict = false
  api.nvim_buf_set_extmark(bufnr, namespace, row, column, options)
end

local function draw_hunk(bufnr, hunk, area)
  local first, last = unpack(hunk.now)
  local old = hunks.old_lines(bufnr, hunk)
  local removed, added = line_changes(old, api.nvim_buf_get_lines(bufnr, first, last, false))
  if #old > 0 then
    mark(bufnr, hunks.row(bufnr, hunk), 0, {
      virt_lines = removed_lines(old, removed, area),
      virt_lines_above = first < api.nvim_buf_line_count(bufnr),
      virt_lines_overflow = 'scroll',
    })
  end
  if last > first then
    mark(bufnr, first, 0, { end_row = last, hl_group = 'ClaudeIdeAdded', hl_eol = true })
  end
  for index, spans in pairs(added) do
    for _, span in ipairs(spans) do
      local options = { end_col = span[2], hl_group = 'ClaudeIdeChanged', priority = PRIORITY + 1 }
      mark(bufnr, first + index - 1, span[1], options)
    end
  end
end

local function draw(bufnr)
  local win = vim.fn.win_findbuf(bufnr)[1]
  if not win then
    return
  end
  local info = vim.fn.getwininfo(win)[1]
  local area = { width = math.max(info.width - info.textoff, 1), wraps = vim.wo[win].wrap }
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for _, hunk in ipairs(hunks.list(bufnr)) do
    if not hunk.is_dropped then
      draw_hunk(bufnr, hunk, area)
    end
  end
end

-- Scroll to the virtual lines above the cursor's line, if that is the first in the window: Neovim leaves them
-- out there.
local function reveal(win)
  api.nvim_win_call(win, function()
    local view = vim.fn.winsaveview()
    if view.topfill > 0 or view.topline ~= view.lnum then
      return
    end
    local from = { view.lnum - 1, 0 }
    for _, each in ipairs(api.nvim_buf_get_extmarks(0, namespace, from, from, { details = true })) do
      local lines = each[4].virt_lines_above and each[4].virt_lines
      if lines then
        local most = math.max(api.nvim_win_get_height(win) - 2, 0)
        vim.fn.winrestview({ topline = view.topline, topfill = math.min(#lines, most) })
      end
    end
  end)
end

--- Mark the hunks of a proposal, now and after each change of its text.
---@param bufnr integer
---@param win integer which goes to the first hunk
function M.show(bufnr, win)
  local redraw = debounce.new(INTERVAL, function()
    draw(bufnr)
  end).soon
  draw(bufnr)
  api.nvim_buf_attach(bufnr, false, { on_lines = redraw, on_reload = redraw })
  on('WinResized', bufnr, redraw)
  on('CursorMoved', bufnr, function()
    reveal(api.nvim_get_current_win())
  end)
  local first = hunks.list(bufnr)[1]
  if first then
    api.nvim_win_set_cursor(win, { hunks.row(bufnr, first) + 1, 0 })
  end
  reveal(win)
end

return M
