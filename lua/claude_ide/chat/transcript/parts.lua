--- The parts of a transcript, each with a mark that moves with the text; and which requests the user has
--- seen: an answer counts only for what was on the screen.
local chat_state = require('claude_ide.chat.state')
local drawn = require('claude_ide.window.drawn')
local reading = require('claude_ide.window.reading')

local M = {}

local api = vim.api
local hrtime = vim.uv.hrtime
local namespace = api.nvim_create_namespace('claude_ide_chat_part')

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

--- Set a part's row and kind.
---@param chat claude_ide.Chat
---@param row integer
---@param id integer
---@param kind string
function M.set(chat, row, id, kind)
  local drawing = chat.drawing
  -- A mark's id must not be 0.
  api.nvim_buf_set_extmark(chat.transcript, namespace, row, 0, { id = id + 1, strict = false })
  local known = drawing.parts[id]
  if not known or known.kind ~= kind then
    local part = { id = id, kind = kind, row = row, since = hrtime(), drawn = {} }
    part.is_changed, part.is_presented = known ~= nil, false
    drawing.parts[id] = part
    drawing.asking[id] = is_asking(kind) and part or nil
  end
end

--- Remove the marks of the parts that begin in these rows.
---@param bufnr integer
---@param first integer row
---@param last integer row, end-exclusive
function M.clear(bufnr, first, last)
  api.nvim_buf_clear_namespace(bufnr, namespace, first, last)
end

--- A part by its id.
---@param chat claude_ide.Chat
---@param id integer
---@return claude_ide.ChatPart?
function M.find(chat, id)
  local part = chat.drawing.parts[id]
  local row = api.nvim_buf_get_extmark_by_id(chat.transcript, namespace, id + 1, {})[1]
  if part and row then
    part.row = row
    return part
  end
end

--- The part that a row belongs to.
---@param chat claude_ide.Chat
---@param row integer
---@return claude_ide.ChatPart?
function M.at(chat, row)
  local options = { limit = 1 }
  local mark = api.nvim_buf_get_extmarks(chat.transcript, namespace, { row, -1 }, 0, options)[1]
  return mark and M.find(chat, mark[1] - 1)
end

--- The request that a row belongs to.
---@param chat claude_ide.Chat
---@param row integer
---@return claude_ide.ChatPart?
function M.request_at(chat, row)
  local part = M.at(chat, row)
  return part and is_asking(part.kind) and part or nil
end

-- The last row of a part, without a blank line between it and the next part.
local function last_row(chat, part)
  local bufnr, from = chat.transcript, { part.row + 1, 0 }
  local mark = api.nvim_buf_get_extmarks(bufnr, namespace, from, -1, { limit = 1 })[1]
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
  for _, mark in ipairs(api.nvim_buf_get_extmarks(bufnr, namespace, { row, 0 }, to, {})) do
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
  drawn.watch(chat.transcript, function(win, has_appeared)
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
---@param part claude_ide.ChatPart
---@return boolean
function M.is_old(part)
  return has_passed(part.since)
end

--- Whether a part has been on the screen long enough for a key to be meant for it.
---@param part claude_ide.ChatPart
---@param win integer
---@return boolean
function M.is_noticed(part, win)
  return part.drawn[win] ~= nil and has_passed(math.max(part.drawn[win], part.since))
end

--- Whether a part was seen from its first row: all of it is visible in this window, or the user was moved
--- to its beginning since it has its present kind.
---@param chat claude_ide.Chat
---@param part claude_ide.ChatPart
---@param win integer
---@return boolean
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

return M
