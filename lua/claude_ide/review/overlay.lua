--- Draws what waits for review in the files themselves: written lines and words are tinted, removed lines are
--- virtual ones above them, and each hunk has a sign. The host knows the hunks; here they follow the text
--- until it has looked at it again. Nothing runs for a file without hunks.
local announce = require('claude_ide.messages.announce')
local autocommands = require('claude_ide.messages.autocommands')
local buffer_text = require('claude_ide.file.text')
local channel = require('claude_ide.channel')
local debounce = require('claude_ide.timing.debounce')
local disk = require('claude_ide.file.disk')
local file = require('claude_ide.file.path')
local highlights = require('claude_ide.highlights')
local own_options = require('claude_ide.own_options')
local plain = require('claude_ide.messages.plain')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_review')
local namespace = api.nvim_create_namespace('claude_ide_review')

local INTERVAL = 100 -- milliseconds
local MOST_REMOVED = 20 -- lines of one hunk that are shown unasked
local MOST_BYTES = 1e6 -- of a text that is looked at while the user types
-- Below those of treesitter: code keeps its colours.
local PRIORITY = 90
local SIGN_PRIORITY = 8
local BOTH = { 'n', 'x' }
local MODES = { keep = BOTH, revert = BOTH, next = BOTH, previous = BOTH, show = { 'n' } }

---@class claude_ide.ReviewHunk
---@field row integer 0-based
---@field count integer rows
---@field removed string[]
---@field more integer removed lines that are not here
---@field old_spans { [1]: integer, [2]: integer[][] }[] index of a removed line, from 0, and its bytes
---@field new_spans { [1]: integer, [2]: integer[][] }[] the same of the rows
---@field is_last? boolean whether it is below the last row

---@class claude_ide.ReviewDrawn
---@field hunks table<integer, claude_ide.ReviewHunk> by the id of their mark
---@field pending table<integer, claude_ide.ReviewHunk> those of which only the sign is drawn
---@field blanks string as wide as a window
---@field unfolded table<string, true> the removed lines that the user wants to see all of
---@field is_attached? boolean
---@field is_shown? boolean whether all hunks are to be seen

local drawn = {} ---@type table<integer, claude_ide.ReviewDrawn> by buffer
local waiting = {} ---@type table<string, integer> hunks by real path
local remarked = {} ---@type table<string, true> by real path
local remarks = 0 -- that are not sent
local value = '{"files":[],"remarks":[],"unknown":[]}'
local is_watching = false

-- The path that the host has for a buffer's file; nil if no file can have its name.
local function path_of(bufnr)
  local name = api.nvim_buf_is_loaded(bufnr) and file.path(bufnr)
  return name and file.real(name) or nil
end

local function selected(bufnr)
  local first, last = api.nvim_buf_get_mark(bufnr, '<')[1], api.nvim_buf_get_mark(bufnr, '>')[1]
  return first > 0 and { first - 1, last } or nil
end

--- A loaded buffer as the host has to know it (`ShownBuffer` in `editor/port/review.py`).
---@type fun(bufnr: integer): table?
function M.buffer(bufnr)
  local path = path_of(bufnr)
  if not path then
    return nil
  end
  return {
    bufnr = bufnr,
    path = path,
    tick = api.nvim_buf_get_changedtick(bufnr),
    text = buffer_text.get(bufnr, true),
    encoding = vim.bo[bufnr].fileencoding == '' and 'utf-8' or vim.bo[bufnr].fileencoding,
    is_writable = vim.bo[bufnr].modifiable and not vim.bo[bufnr].readonly,
    is_modified = vim.bo[bufnr].modified,
    selected = selected(bufnr),
  }
end

--- The loaded buffers of files, each with its path.
---@param paths string[] without links
---@return { [1]: integer, [2]: string }[]
function M.find(paths)
  local wanted, found = {}, {}
  for _, path in ipairs(paths) do
    wanted[path] = true
  end
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    local path = path_of(bufnr)
    if path and wanted[path] then
      table.insert(found, { bufnr, path })
    end
  end
  return found
end

-- Drawing

-- What is too wide for the window is not shown.
local function removed_lines(hunk, is_unfolded, blanks)
  local count = #hunk.removed + hunk.more
  if count > MOST_REMOVED and not is_unfolded then
    return { { { ('▸ %d removed lines'):format(count), 'ClaudeIdeRemoved' } } }
  end
  local rows, spans = {}, {}
  for _, each in ipairs(hunk.old_spans) do
    spans[each[1]] = each[2]
  end
  for index, line in ipairs(hunk.removed) do
    local chunks = highlights.removed(line, spans[index - 1])
    table.insert(chunks, { blanks, 'ClaudeIdeRemoved' })
    rows[index] = chunks
  end
  if hunk.more > 0 then
    table.insert(rows, { { ('… %d more lines'):format(hunk.more), 'ClaudeIdeRemoved' } })
  end
  return rows
end

local function mark(bufnr, space, row, column, options)
  options.strict = false
  return api.nvim_buf_set_extmark(bufnr, space, row, column, options)
end

local function key_of(hunk)
  return table.concat(hunk.removed, '\n')
end

-- Mark where a hunk is. Everything is drawn in as few marks as possible: each takes time. Each row has a sign
-- of its own: the signs of a mark over several rows are unknown to plugins that draw the column.
local function place_hunk(bufnr, state, hunk, last)
  local row = math.min(hunk.row, last)
  hunk.is_last = hunk.row > last
  if not state.is_shown and not state.unfolded[key_of(hunk)] then
    state.hunks[mark(bufnr, namespace, row, 0, {})] = hunk
    return
  end
  local sign = {
    sign_text = hunk.count > 0 and '▎' or '▔',
    sign_hl_group = hunk.count > 0 and 'ClaudeIdeReview' or 'ClaudeIdeReviewRemoved',
    priority = SIGN_PRIORITY,
  }
  local id = mark(bufnr, namespace, row, 0, sign)
  local final = math.min(row + hunk.count - 1, last)
  for at = row + 1, final do
    mark(bufnr, namespace, at, 0, sign)
  end
  if final > row then
    id = mark(bufnr, namespace, row, 0, { end_row = final })
  end
  state.hunks[id], state.pending[id] = hunk, hunk
end

local function draw_hunk(bufnr, state, hunk, row)
  local options = { priority = PRIORITY }
  if #hunk.removed > 0 then
    options.virt_lines = removed_lines(hunk, state.unfolded[key_of(hunk)], state.blanks)
    -- Else these were the last lines of the file.
    options.virt_lines_above = not hunk.is_last
    options.virt_lines_overflow = 'scroll'
  end
  if hunk.count > 0 then
    options.end_row = row + hunk.count
    options.hl_group = 'ClaudeIdeAdded'
    options.hl_eol = true
  end
  mark(bufnr, namespace, row, 0, options)
  for _, each in ipairs(hunk.new_spans) do
    for _, span in ipairs(each[2]) do
      mark(bufnr, namespace, row + each[1], span[1], {
        end_col = span[2],
        hl_group = 'ClaudeIdeChanged',
        priority = PRIORITY + 1,
      })
    end
  end
end

local function draw_remark(bufnr, remark)
  local last = api.nvim_buf_line_count(bufnr)
  local is_open = remark.state == 'open'
  local note = is_open and '» ' or ('» (%s) '):format(remark.state)
  local group = is_open and 'ClaudeIdeComment' or 'ClaudeIdeCommentSent'
  for row = remark.first, math.min(remark.last, last) - 1 do
    local is_first = row == remark.first
    mark(bufnr, namespace, row, 0, {
      sign_text = '»',
      sign_hl_group = group,
      virt_text = is_first and { { note .. plain.one_line(remark.words), group } } or nil,
      priority = SIGN_PRIORITY + 1,
    })
  end
end

local function width_of(bufnr)
  local win = vim.fn.win_findbuf(bufnr)[1]
  local info = win and vim.fn.getwininfo(win)[1]
  return info and math.max(info.width - info.textoff, 1) or 0
end

-- The hunks that touch some rows, where they are now, from the top. Without rows all.
---@param first? integer
---@param last? integer
---@return { id: integer, row: integer, stop: integer, hunk: claude_ide.ReviewHunk }[] `stop`: the row below
local function hunks_in(bufnr, first, last)
  local state, found = drawn[bufnr], {}
  local from = { math.max(first or 0, 0), 0 }
  local to = last and { math.min(last, api.nvim_buf_line_count(bufnr)), 0 } or -1
  local options = { overlap = true }
  for _, each in
    ipairs(state and api.nvim_buf_get_extmarks(bufnr, namespace, from, to, options) or {})
  do
    local id, row = unpack(each, 1, 2)
    local hunk = state.hunks[id]
    if hunk then
      table.insert(found, { id = id, row = row, stop = row + math.max(hunk.count, 1), hunk = hunk })
    end
  end
  return found
end

-- Draw the hunks in some rows that are not drawn yet.
---@return boolean are_new whether there were any
local function draw_near(bufnr, first, last)
  local state, are_new = drawn[bufnr], false
  if not state or not next(state.pending) then
    return false
  end
  for _, each in ipairs(hunks_in(bufnr, first, last)) do
    if state.pending[each.id] then
      state.pending[each.id] = nil
      draw_hunk(bufnr, state, each.hunk, each.row)
      are_new = true
    end
  end
  return are_new
end

-- How many rows of virtual lines stand above the first line of a window. Neovim leaves out those of the first
-- line of all, and of the cursor's line.
local function topfill(win, view)
  local line = view.topline
  local is_left_out = view.topfill == 0 and line ~= 1 and line ~= view.lnum
  local row = { start_row = line - 1, end_row = line - 1 }
  local most = is_left_out and 0 or api.nvim_win_text_height(win, row).fill
  local wanted = view.topfill > 0 and view.topfill or most
  return math.min(wanted, most, math.max(api.nvim_win_get_height(win) - 2, 0))
end

-- Draw them in the rows that a window shows, and where the user may be next.
local function draw_shown(win)
  local info = vim.fn.getwininfo(win)[1]
  local height = info and info.height
  if not info or not draw_near(info.bufnr, info.topline - height, info.botline + height) then
    return
  end
  -- With plugins that decorate, Neovim does not scroll to a cursor below new virtual lines until told that
  -- the view has changed.
  api.nvim_win_call(win, function()
    local view = vim.fn.winsaveview()
    view.topfill = topfill(win, view)
    vim.fn.winrestview(view)
  end)
end

-- Others are drawn once a window gets to them: opening a file with many takes no longer.
api.nvim_set_decoration_provider(namespace, {
  on_win = function(_, win, bufnr)
    local state = drawn[bufnr]
    if state and next(state.pending) then
      vim.schedule(function()
        draw_shown(win)
      end)
    end
    return false
  end,
})

local function redraw(bufnr, state, hunks, here)
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  state.hunks, state.pending, state.blanks = {}, {}, (' '):rep(width_of(bufnr))
  local shown = own_options.get('review', 'overlay')
  state.is_shown = shown ~= false and shown ~= 0
  local last = api.nvim_buf_line_count(bufnr) - 1
  for _, hunk in ipairs(hunks) do
    place_hunk(bufnr, state, hunk, last)
  end
  vim.iter(vim.fn.win_findbuf(bufnr)):each(draw_shown)
  for _, remark in ipairs(here) do
    draw_remark(bufnr, remark)
  end
end

-- The user's keys for the maps are there only as long as something waits in the buffer. Those that the buffer
-- has are spared. A variable of the buffer names ours: it is gone together with them.
local function define_keys(bufnr)
  if vim.b[bufnr].claude_ide_review_keys then
    return
  end
  local given, defined = own_options.get('review', 'keys'), {}
  api.nvim_buf_call(bufnr, function()
    for name, modes in pairs(type(given) == 'table' and MODES or {}) do
      local key, plug = given[name], ('<Plug>(claude-hunk-%s)'):format(name)
      for _, mode in ipairs(type(key) == 'string' and key ~= '' and modes or {}) do
        if vim.fn.maparg(key, mode, false, true).buffer ~= 1 then
          local desc = vim.fn.maparg(plug, mode, false, true).desc
          vim.keymap.set(mode, key, plug, { buffer = bufnr, remap = true, desc = desc })
          table.insert(defined, { mode, key })
        end
      end
    end
  end)
  vim.b[bufnr].claude_ide_review_keys = defined
end

local function remove_keys(bufnr)
  for _, each in ipairs(vim.b[bufnr].claude_ide_review_keys or {}) do
    pcall(vim.keymap.del, each[1], each[2], { buffer = bufnr })
  end
  vim.b[bufnr].claude_ide_review_keys = nil
end

local function emit_shown(bufnr)
  local path = path_of(bufnr)
  if path then
    channel.emit('review_shown', { bufnr = bufnr, path = path })
  end
end

-- What the user types is looked at once they pause; a large text only when they are done.
local function attach(bufnr, state)
  if state.is_attached then
    return
  end
  local look = debounce.new(INTERVAL, function()
    local is_large = api.nvim_buf_is_loaded(bufnr)
      and api.nvim_buf_get_offset(bufnr, api.nvim_buf_line_count(bufnr)) > MOST_BYTES
    if drawn[bufnr] and not (is_large and vim.fn.mode() == 'i') then
      emit_shown(bufnr)
    end
  end).soon
  state.is_attached = api.nvim_buf_attach(bufnr, false, {
    on_lines = function()
      if not drawn[bufnr] then
        return true
      end
      look()
    end,
    on_detach = function()
      drawn[bufnr] = nil
      -- Its unsaved text is gone.
      emit_shown(bufnr)
    end,
  })
end

-- The path of a buffer with hunks or remarks.
local function is_known(bufnr)
  local path = (next(waiting) or next(remarked)) and path_of(bufnr)
  return path and (waiting[path] or remarked[path]) and path or nil
end

--- Draw the hunks and the remarks of a buffer.
---@param bufnr integer
---@param tick integer
---@param hunks claude_ide.ReviewHunk[]
---@param here table[] `DrawnRemark` of the port
---@return boolean is_drawn false if the buffer has another text by now
function M.draw(bufnr, tick, hunks, here)
  if not api.nvim_buf_is_loaded(bufnr) then
    return true
  elseif api.nvim_buf_get_changedtick(bufnr) ~= tick then
    return false
  end
  local state = drawn[bufnr]
  local is_empty = #hunks == 0 and #here == 0
  -- A buffer that does not have the text of a file that waits will get it.
  if not state and is_empty and not is_known(bufnr) then
    -- It may have been read again since it was drawn.
    remove_keys(bufnr)
    return true
  end
  highlights.define()
  state = state or { hunks = {}, pending = {}, unfolded = {}, blanks = '' }
  drawn[bufnr] = state
  redraw(bufnr, state, hunks, here)
  local update_keys = is_empty and remove_keys or define_keys
  update_keys(bufnr)
  -- From now on: an undo may bring hunks back.
  attach(bufnr, state)
  return true
end

-- Draw what the cursor gets to, and scroll to the virtual lines above it that are left out.
local function reveal()
  local bufnr = api.nvim_get_current_buf()
  if not drawn[bufnr] then
    return
  end
  local view, height = vim.fn.winsaveview(), api.nvim_win_get_height(0)
  draw_near(bufnr, view.lnum - height, view.lnum + height)
  if view.topfill == 0 and view.topline == view.lnum then
    vim.fn.winrestview({ topline = view.topline, topfill = topfill(0, view) })
  end
end

local function watch()
  if is_watching then
    return
  end
  is_watching = true
  on({ 'BufWinEnter', 'FileChangedShellPost', 'BufFilePost' }, nil, function(event)
    if drawn[event.buf] or is_known(event.buf) then
      emit_shown(event.buf)
    end
  end)
  on('BufWritePost', nil, function(event)
    local path = is_known(event.buf) or drawn[event.buf] and path_of(event.buf)
    if path then
      channel.emit('review_written', { path = path })
    end
  end)
  on('CursorMoved', nil, reveal)
  on('VimResized', nil, function()
    for bufnr in pairs(drawn) do
      emit_shown(bufnr)
    end
  end)
end

--- Know the files that wait.
---@param files table<string, integer> hunks by real path
---@param paths string[] the files with remarks
---@param count integer remarks that are not sent
---@param json string what `review()` returns
function M.waiting(files, paths, count, json)
  value = json
  local is_same = vim.deep_equal(files, waiting) and count == remarks
  waiting, remarks, remarked = files, count, {}
  for _, path in ipairs(paths) do
    remarked[path] = true
  end
  watch()
  if not is_same then
    announce.event('ClaudeReviewChanged', M.counts())
  end
end

--- What waits (`:help claude-ide.review()`).
---@return table
function M.value()
  return vim.json.decode(value)
end

--- How much waits.
---@return { files: integer, hunks: integer, remarks: integer }
function M.counts()
  local counts = { files = 0, hunks = 0, remarks = remarks }
  for _, hunks in pairs(waiting) do
    counts.files, counts.hunks = counts.files + 1, counts.hunks + hunks
  end
  return counts
end

--- Write a buffer as it is: no autocommand changes its text, and no line end is added.
---@param bufnr integer
---@return string refusal empty if it was written
function M.save(bufnr)
  local ignored, fixes = vim.o.eventignore, vim.bo[bufnr].fixendofline
  vim.bo[bufnr].fixendofline = false
  vim.o.eventignore = (ignored == '' and '' or ignored .. ',')
    .. 'BufWritePre,FileWritePre,BufWrite'
  local refusal = disk.write(bufnr)
  vim.o.eventignore, vim.bo[bufnr].fixendofline = ignored, fixes
  return refusal or ''
end

-- Moving

--- Go to the next or previous hunk, over the end of the file into the next one that waits.
---@param direction 1|-1
---@param count integer
---@return boolean is_found
function M.go(direction, count)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local beyond = vim.tbl_filter(function(each)
    return (each.row - row) * direction > 0
  end, hunks_in(api.nvim_get_current_buf()))
  local target = beyond[direction == 1 and count or #beyond - count + 1]
  if not target then
    return false
  end
  vim.cmd("normal! m'")
  api.nvim_win_set_cursor(0, { target.row + 1, 0 })
  vim.cmd('normal! zv')
  reveal()
  return true
end

--- Show all removed lines of the hunk at the cursor, or fold them again.
---@return boolean is_found
function M.unfold()
  local bufnr, row = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1] - 1
  for _, each in ipairs(hunks_in(bufnr, row, row)) do
    if each.row <= row and row < each.stop then
      local key, unfolded = key_of(each.hunk), drawn[bufnr].unfolded
      unfolded[key] = not unfolded[key] or nil
      emit_shown(bufnr)
      return true
    end
  end
  return false
end

return M
