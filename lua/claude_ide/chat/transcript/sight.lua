--- What a user has had before their eyes: a request is answered for what was on the screen.
local chat_parts = require('claude_ide.chat.transcript.parts')
local chat_state = require('claude_ide.chat.state')

local M = {}

-- Milliseconds that a request has to be there: a key typed before was not meant for it.
local NOTICED = 400

---@param chat claude_ide.Chat
---@param id integer
---@return claude_ide.ChatPart?
local function find(chat, id)
  return chat_parts.find(chat.transcript, chat.drawing.parts, id)
end

--- Whether a part has been there long enough to be read.
---@param part claude_ide.ChatPart
---@return boolean
function M.is_noticed(part)
  return part.age >= NOTICED
end

-- 'smoothscroll' may hide the first rows of the topmost line.
local function first_whole_line(win)
  local view = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  return view.skipcol > 0 and view.topline + 1 or view.topline
end

--- Whether a part was shown from its first row on: all of it is in this window, or the user has
--- been led to its beginning since it looks like this.
---@param chat claude_ide.Chat
---@param part claude_ide.ChatPart
---@param win integer
---@return boolean
function M.is_seen(chat, part, win)
  if part.is_presented then
    return true
  end
  local last = chat_parts.last_row(chat.transcript, part)
  return first_whole_line(win) <= part.row + 1 and vim.fn.line('w$', win) >= last + 1
end

--- Put the beginning of a part at the top of a window, with the cursor.
---@param chat claude_ide.Chat
---@param id integer of a part
---@param win integer that shows the transcript
function M.present(chat, id, win)
  local part = find(chat, id)
  if not part then
    return
  end
  vim.api.nvim_win_set_cursor(win, { part.row + 1, 0 })
  vim.api.nvim_win_call(win, function()
    vim.cmd('keepjumps normal! zt')
  end)
  chat_parts.mark_presented(chat.drawing.parts, id)
end

--- What is on the screen of a part, in the current tabpage: its kind, or nothing.
---@param id integer chat
---@param part_id integer
---@return string
function M.seen(id, part_id)
  local chat = chat_state.get(id)
  local part = chat and find(chat, part_id)
  if not (chat and part and M.is_noticed(part)) then
    return ''
  end
  local is_seen = vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(win)
    local shows = vim.api.nvim_win_get_buf(win) == chat.transcript
    return shows and M.is_seen(chat, part, win)
  end)
  return is_seen and part.kind or ''
end

return M
