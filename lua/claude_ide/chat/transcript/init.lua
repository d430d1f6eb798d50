--- The transcript: drawn by frames, each in one instant, without moving what the user is looking at. The
--- marks of its parts move with the text, and it is known which requests the user has seen: an answer counts
--- only for what was on the screen.
local chat_code = require('claude_ide.chat.transcript.code')
local chat_follow = require('claude_ide.chat.window.follow')
local chat_state = require('claude_ide.chat.state')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local reading = require('claude_ide.window.reading')

local M = {}

local api = vim.api
local hrtime = vim.uv.hrtime
local marks = api.nvim_create_namespace('claude_ide_chat_mark')
local part_marks = api.nvim_create_namespace('claude_ide_chat_part')

---@class claude_ide.ChatFrame
---@field edits claude_ide.ChatEdit[] in this order
---@field holds? boolean whether the windows keep showing the same lines: the edits are above them
---@field code? any[] `{ first, last, language }` of closed fences, as rows after all edits

---@class claude_ide.ChatEdit
---@field first integer row
---@field last integer row, end-exclusive
---@field lines string[]
---@field marks? any[] `{ row, column, end_row, end_column, group }`, rows relative to `first`
---@field looks? any[] `{ row, column, end_column, text?, group, how }`; without a text, they hide something
---@field parts? any[] `{ row, id, kind }`, rows relative to `first`

---@class claude_ide.ChatDrawing
---@field count integer lines; 0 for an empty buffer, in which Neovim counts one
---@field parts table<integer, claude_ide.ChatPart> by id
---@field asking table<integer, claude_ide.ChatPart> those that ask the user
---@field waiting claude_ide.ChatFrame[] frames to draw once Neovim allows changes

---@class claude_ide.ChatPart
---@field id integer
---@field kind string
---@field row integer the first one, when the part was last looked up
---@field since integer nanoseconds: when it was first drawn as this kind, or last presented
---@field is_changed boolean whether it was of another kind before
---@field is_presented boolean whether the user was moved to its beginning while it was of this kind
---@field drawn table<integer, integer> by window: since when it is on the screen there, in nanoseconds

-- Whether a part of this kind asks the user.
local function is_asking(kind)
  return vim.startswith(kind, 'request') or kind == 'trust'
end

-- Set a part's row and kind.
local function set_part(chat, row, id, kind)
  local drawing = chat.drawing
  -- A mark's id must not be 0.
  api.nvim_buf_set_extmark(chat.transcript, part_marks, row, 0, { id = id + 1, strict = false })
  local known = drawing.parts[id]
  if not known or known.kind ~= kind then
    local part = { id = id, kind = kind, row = row, since = hrtime(), drawn = {} }
    part.is_changed, part.is_presented = known ~= nil, false
    drawing.parts[id] = part
    drawing.asking[id] = is_asking(kind) and part or nil
  end
end

--- A part by its id.
---@type fun(chat: claude_ide.Chat, id: integer): claude_ide.ChatPart?
function M.find(chat, id)
  local part = chat.drawing.parts[id]
  local row = api.nvim_buf_get_extmark_by_id(chat.transcript, part_marks, id + 1, {})[1]
  if part and row then
    part.row = row
    return part
  end
end

--- The part that a row belongs to.
---@type fun(chat: claude_ide.Chat, row: integer): claude_ide.ChatPart?
function M.at(chat, row)
  local options = { limit = 1 }
  local mark = api.nvim_buf_get_extmarks(chat.transcript, part_marks, { row, -1 }, 0, options)[1]
  return mark and M.find(chat, mark[1] - 1)
end

--- The request that a row belongs to.
---@type fun(chat: claude_ide.Chat, row: integer): claude_ide.ChatPart?
function M.request_at(chat, row)
  local part = M.at(chat, row)
  return part and is_asking(part.kind) and part or nil
end

-- The last row of a part, without a blank line between it and the next part.
local function last_row(chat, part)
  local bufnr, from = chat.transcript, { part.row + 1, 0 }
  local mark = api.nvim_buf_get_extmarks(bufnr, part_marks, from, -1, { limit = 1 })[1]
  local beyond = mark and mark[2] or api.nvim_buf_line_count(bufnr)
  local last = api.nvim_buf_get_lines(bufnr, beyond - 1, beyond, false)[1]
  return last == '' and beyond - 2 or beyond - 1
end

--- The row at which the nth turn after or before a row begins.
---@param chat claude_ide.Chat
---@param row integer
---@param count integer n; negative for turns before
---@return integer row the last or first row of the text if there are fewer turns
function M.turn_row(chat, row, count)
  local bufnr, is_forward = chat.transcript, count > 0
  local rows = {}
  local to = is_forward and -1 or 0
  for _, mark in ipairs(api.nvim_buf_get_extmarks(bufnr, part_marks, { row, 0 }, to, {})) do
    if chat.drawing.parts[mark[1] - 1].kind == 'turn' and mark[2] ~= row then
      rows[#rows + 1] = mark[2]
    end
  end
  local beyond = is_forward and api.nvim_buf_line_count(bufnr) - 1 or 0
  return rows[math.abs(count)] or beyond
end

--- Record from now on which requests are on the screen.
---@param chat claude_ide.Chat
function M.watch(chat)
  reading.watch(chat.transcript, function(win, has_appeared)
    local info = vim.fn.getwininfo(win)[1]
    for id, part in pairs(chat.drawing.asking) do
      local is_visible = M.find(chat, id)
        and part.row < info.botline
        and last_row(chat, part) >= info.topline - 1
      local before = not has_appeared and part.drawn[win] or nil
      part.drawn[win] = is_visible and (before or hrtime()) or nil
    end
  end)
end

local function has_passed(since)
  return (hrtime() - since) / 1e6 >= reading.NOTICED
end

--- Whether a part has been in the transcript long enough for a key not to be meant for what was there
--- before.
---@type fun(part: claude_ide.ChatPart): boolean
function M.is_old(part)
  return has_passed(part.since)
end

--- Whether a part has been on the screen long enough for a key to be meant for it.
---@type fun(part: claude_ide.ChatPart, win: integer): boolean
function M.is_noticed(part, win)
  return part.drawn[win] ~= nil and has_passed(math.max(part.drawn[win], part.since))
end

--- Whether a part was seen from its first row: all of it is visible in this window, or the user was moved
--- to its beginning since it has its present kind.
---@type fun(chat: claude_ide.Chat, part: claude_ide.ChatPart, win: integer): boolean
function M.is_seen(chat, part, win)
  if part.is_presented then
    return true
  end
  local view = api.nvim_win_call(win, vim.fn.winsaveview)
  -- 'smoothscroll' may hide the first rows of the topmost line.
  local first = view.skipcol > 0 and view.topline + 1 or view.topline
  return first <= part.row + 1 and vim.fn.line('w$', win) >= last_row(chat, part) + 1
end

--- The oldest request that is on the screen in the current tab page, without the questions about trust.
---@param chat claude_ide.Chat
---@return claude_ide.ChatPart?
---@return integer? win
function M.asking(chat)
  local oldest, shows ---@type claude_ide.ChatPart?, integer?
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    for id, part in pairs(chat.drawing.asking) do
      local is_before = not oldest or id < oldest.id
      if part.drawn[win] and part.kind ~= 'trust' and is_before and M.find(chat, id) then
        oldest, shows = part, win
      end
    end
  end
  return oldest, shows
end

--- Scroll a part to the top of a window, with the cursor on its first row.
---@param chat claude_ide.Chat
---@param id integer part
---@param win integer shows the transcript
function M.present(chat, id, win)
  local part = M.find(chat, id)
  if not part then
    return
  end
  api.nvim_win_set_cursor(win, { part.row + 1, 0 })
  api.nvim_win_call(win, function()
    vim.cmd('keepjumps normal! zt')
  end)
  part.since, part.is_presented = hrtime(), true
end

--- Called by the host: the kind of a part that was seen in the current tab page; empty if it was not.
---@type fun(id: integer, part: integer): string
M.seen = chat_state.of_id(function(chat, id)
  local part = M.find(chat, id)
  local is_seen = part
    and vim.iter(api.nvim_tabpage_list_wins(0)):any(function(win)
      local shows = api.nvim_win_get_buf(win) == chat.transcript
      return shows and M.is_noticed(part, win) and M.is_seen(chat, part, win)
    end)
  return is_seen and part.kind or ''
end, '')

-- Python sends a missing table as vim.NIL.
local function each(list)
  return ipairs(type(list) == 'table' and list or {})
end

--- Create a chat's transcript.
---@param chat claude_ide.Chat
---@return integer bufnr
function M.create(chat)
  local bufnr = api.nvim_create_buf(false, true)
  local options = vim.bo[bufnr]
  options.bufhidden, options.swapfile, options.modeline = 'hide', false, false
  options.undolevels, options.modifiable = -1, false
  -- Smooth scrolling starts from where the window was, and stops there as soon as the text changes.
  vim.b[bufnr].snacks_scroll, vim.b[bufnr].minianimate_disable = false, true
  chat.drawing = { count = 0, parts = {}, asking = {}, waiting = {} }
  return bufnr
end

local function set_mark(bufnr, first, mark)
  local row, column, end_row, end_column, group = unpack(mark)
  -- The background of code is as wide as the window, not as each line.
  local is_line = group == 'ClaudeChatCodeBlock'
  api.nvim_buf_set_extmark(bufnr, marks, first + row, column, {
    end_row = first + end_row,
    end_col = end_column,
    hl_group = not is_line and group or nil,
    line_hl_group = is_line and group or nil,
    hl_eol = end_row > row,
    strict = false,
  })
end

-- Only how a part of a line looks: the buffer keeps the source.
local function set_look(bufnr, first, look)
  local row, column, end_column, text, group, how = unpack(look)
  local mark = { strict = false }
  if not text or how == 'conceal' then
    mark.end_col, mark.conceal, mark.hl_group = end_column, text or '', group
  else
    mark.virt_text, mark.virt_text_pos = { { text, group } }, how
  end
  api.nvim_buf_set_extmark(bufnr, marks, first + row, column, mark)
end

local function apply(chat, edit)
  local bufnr, drawing = chat.transcript, chat.drawing
  local first = math.min(edit.first, drawing.count)
  local last = math.max(first, math.min(edit.last, drawing.count))
  local is_empty = drawing.count == 0
  api.nvim_buf_set_lines(bufnr, first, is_empty and -1 or last, false, edit.lines)
  drawing.count = drawing.count + #edit.lines - (last - first)
  -- A mark that does not fit must not prevent the text from being drawn.
  for _, mark in each(edit.marks) do
    pcall(set_mark, bufnr, first, mark)
  end
  for _, look in each(edit.looks) do
    pcall(set_look, bufnr, first, look)
  end
  for _, part in each(edit.parts) do
    pcall(set_part, chat, first + part[1], part[2], part[3])
  end
end

local function clear(bufnr, edit)
  if edit.last > edit.first then
    api.nvim_buf_clear_namespace(bufnr, marks, edit.first, edit.last)
    api.nvim_buf_clear_namespace(bufnr, part_marks, edit.first, edit.last)
    chat_code.clear(bufnr, edit.first, edit.last)
  end
end

local function apply_all(chat, frame)
  for _, edit in each(frame.edits) do
    if edit.first == 0 and edit.last > chat.drawing.count then
      -- A new host draws everything and numbers its parts from 1 again.
      chat.drawing.parts, chat.drawing.asking = {}, {}
    end
    clear(chat.transcript, edit)
    apply(chat, edit)
  end
end

local function draw(chat, frame)
  local bufnr = chat.transcript
  local following = chat_follow.windows(bufnr)
  local held = frame.holds and chat_follow.views(bufnr) or {}
  local tick = api.nvim_buf_get_changedtick(bufnr)
  vim.bo[bufnr].modifiable = true
  local ok, reason = pcall(apply_all, chat, frame)
  vim.bo[bufnr].modifiable = false
  if not ok then
    error(reason, 0)
  end
  for _, code in each(frame.code) do
    pcall(chat_code.add, bufnr, code[1], code[2], code[3])
  end
  if api.nvim_buf_get_changedtick(bufnr) ~= tick then
    chat_follow.restore(held, frame.edits)
    vim.iter(following):each(chat_follow.go_to_end)
  end
end

local draw_waiting

-- Draw a frame later. Under textlock no part of it was drawn, so all of it can be.
local function wait(chat, frame)
  table.insert(chat.drawing.waiting, frame)
  if #chat.drawing.waiting == 1 then
    moment.when_possible(function()
      draw_waiting(chat)
    end, message.failure('the chat cannot be drawn: %s'))
  end
end

--- Called by the host: draw a frame, unless the chat is closed.
---@type fun(id: integer, frame: claude_ide.ChatFrame)
M.draw = chat_state.of_id(function(chat, frame)
  if not api.nvim_buf_is_loaded(chat.transcript) then
    return
  elseif #chat.drawing.waiting > 0 then
    return wait(chat, frame)
  end
  local ok, reason = pcall(draw, chat, frame)
  if not ok and (reason:find('E565') or reason:find('E523')) then
    wait(chat, frame)
  elseif not ok then
    error(reason, 0)
  end
end)

function draw_waiting(chat)
  local frames = chat.drawing.waiting
  chat.drawing.waiting = {}
  for _, frame in ipairs(frames) do
    M.draw(chat.id, frame)
  end
end

--- Show the end of a transcript in its windows, which then follow it.
---@type fun(id: integer)
M.follow = chat_state.of_id(function(chat)
  chat_follow.follow(chat.transcript)
end)

--- Restore text that was unloaded, until the host draws it again.
---@type fun(chat: claude_ide.Chat, text: string)
function M.restore(chat, text)
  local lines = vim.split(text, '\n')
  vim.bo[chat.transcript].modifiable = true
  api.nvim_buf_set_lines(chat.transcript, 0, -1, false, lines)
  vim.bo[chat.transcript].modifiable = false
  chat.drawing = { count = #lines, parts = {}, asking = {}, waiting = {} }
  chat_state.emit(chat, 'redraw')
end

return M
