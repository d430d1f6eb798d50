--- What the user has seen: an answer counts only for what was on the screen.
local chat_parts = require('claude_ide.chat.transcript.parts')
local chat_state = require('claude_ide.chat.state')
local drawn = require('claude_ide.window.drawn')
local reading = require('claude_ide.window.reading')

local M = {}

--- Whether a part of this kind asks the user.
---@param kind string
---@return boolean
function M.is_asking(kind)
  return vim.startswith(kind, 'request') or kind == 'trust'
end

--- Record from now on which requests are on the screen.
---@param chat claude_ide.Chat
function M.watch(chat)
  drawn.watch(chat.transcript, function(win, has_appeared)
    if has_appeared then
      chat_parts.forget_drawn(win)
    end
    local info = vim.fn.getwininfo(win)[1]
    local first, last = info.topline - 1, info.botline - 1
    chat_parts.mark_drawn(chat.transcript, chat.drawing.parts, win, first, last, M.is_asking)
  end)
end

---@param chat claude_ide.Chat
---@param id integer
---@return claude_ide.ChatPart?
local function find(chat, id)
  return chat_parts.find(chat.transcript, chat.drawing.parts, id)
end

--- Whether a part has been in the transcript long enough for a key not to be meant for what was there
--- before.
---@param part claude_ide.ChatPart
---@return boolean
function M.is_old(part)
  return part.age >= reading.NOTICED
end

--- Whether a part has been on the screen long enough for a key to be meant for it.
---@param part claude_ide.ChatPart
---@param win integer
---@return boolean
function M.is_noticed(part, win)
  local since = part.drawn[win]
  local milliseconds = since and (vim.uv.hrtime() - since) / 1e6 or 0
  return M.is_old(part) and milliseconds >= reading.NOTICED
end

-- 'smoothscroll' may hide the first rows of the topmost line.
local function first_whole_line(win)
  local view = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  return view.skipcol > 0 and view.topline + 1 or view.topline
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
  local last = chat_parts.last_row(chat.transcript, part)
  return first_whole_line(win) <= part.row + 1 and vim.fn.line('w$', win) >= last + 1
end

--- The oldest request that is on the screen in the current tab page, without the questions about trust.
---@param chat claude_ide.Chat
---@return claude_ide.ChatPart?
---@return integer? win
function M.asking(chat)
  local oldest, shows ---@type claude_ide.ChatPart?, integer?
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    for id, known in pairs(chat.drawing.parts) do
      local is_before = not oldest or id < oldest.id
      if known.drawn[win] and vim.startswith(known.kind, 'request') and is_before then
        oldest, shows = find(chat, id), win
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

--- The kind of a part that was seen in the current tab page.
---@param id integer chat
---@param part_id integer
---@return string kind empty if it was not seen
function M.seen(id, part_id)
  local chat = chat_state.get(id)
  local part = chat and find(chat, part_id)
  if not (chat and part) then
    return ''
  end
  local is_seen = vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(win)
    local shows = vim.api.nvim_win_get_buf(win) == chat.transcript
    return shows and M.is_noticed(part, win) and M.is_seen(chat, part, win)
  end)
  return is_seen and part.kind or ''
end

return M
