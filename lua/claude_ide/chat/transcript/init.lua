--- The transcript: drawn by frames, each in one instant, without moving what the user is looking at.
local chat_code = require('claude_ide.chat.transcript.code')
local chat_follow = require('claude_ide.chat.window.follow')
local chat_parts = require('claude_ide.chat.transcript.parts')
local chat_state = require('claude_ide.chat.state')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')

local M = {}

local api = vim.api
local marks = api.nvim_create_namespace('claude_ide_chat_mark')

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

---@param chat claude_ide.Chat
---@param edit claude_ide.ChatEdit
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
    pcall(chat_parts.set, chat, first + part[1], part[2], part[3])
  end
end

local function clear(bufnr, edit)
  if edit.last > edit.first then
    api.nvim_buf_clear_namespace(bufnr, marks, edit.first, edit.last)
    chat_parts.clear(bufnr, edit.first, edit.last)
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

---@param chat claude_ide.Chat
---@param frame claude_ide.ChatFrame
local function draw(chat, frame)
  local bufnr = chat.transcript
  local following = chat_follow.windows(bufnr)
  local held, count = frame.holds and chat_follow.views(bufnr) or {}, chat.drawing.count
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
    chat_follow.restore(held, chat.drawing.count - count)
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
    end, function(reason)
      message.show(('the chat cannot be drawn: %s'):format(reason), 'error')
    end)
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
---@param chat claude_ide.Chat
---@param text string
function M.restore(chat, text)
  local lines = vim.split(text, '\n')
  vim.bo[chat.transcript].modifiable = true
  api.nvim_buf_set_lines(chat.transcript, 0, -1, false, lines)
  vim.bo[chat.transcript].modifiable = false
  chat.drawing = { count = #lines, parts = {}, asking = {}, waiting = {} }
  chat_state.emit(chat, 'redraw')
end

return M
