--- Shows the files that an agent reads and edits next to its chat, while the user stays in the panel.
local buffers = require('claude_ide.file.buffers')
local chat_state = require('claude_ide.chat.state')
local chat_windows = require('claude_ide.chat.window')
local diff = require('claude_ide.diff')
local file_load = require('claude_ide.file.load')
local file_path = require('claude_ide.file.path')
local moment = require('claude_ide.timing.moment')
local open_files = require('claude_ide.file.open')
local reason = require('claude_ide.messages.reason')
local reload = require('claude_ide.disk_changes.reload')
local review_list = require('claude_ide.review.list')

local M = {}

local api = vim.api

local FLASH = 400 -- milliseconds
local MOST_LINES = 200 -- that flash

local namespace = api.nvim_create_namespace('claude_ide_following')

-- Why no file may appear now; a later one may.
---@param chat claude_ide.Chat?
---@return string?
local function obstacle(chat)
  if not (chat and chat.view) then
    return 'the chat is hidden'
  elseif not chat_windows.has(chat.view, api.nvim_get_current_win()) then
    return 'the user is not in the panel'
  elseif chat.requests > 0 or #diff.list() > 0 then
    return 'a request waits for the user'
  elseif review_list.window() and review_list.current() then
    return 'a review is open'
  elseif not moment.is_harmless() or vim.fn.pumvisible() == 1 then
    return 'the user is in the middle of a command'
  end
end

local function go_to(win, bufnr, first, last, was_shown)
  local lines = open_files.lines(bufnr, first, last > 0 and last or nil)
  local row = lines.first.row
  -- Entering another buffer adds a jump for CTRL-O by itself.
  if was_shown and api.nvim_win_get_cursor(win)[1] ~= row + 1 then
    api.nvim_win_call(win, function()
      vim.cmd("normal! m'")
    end)
  end
  open_files.show(win, lines)
  if last > 0 then
    local stop = math.min(lines.last.row, row + MOST_LINES)
    local options = { regtype = 'V', inclusive = true, timeout = FLASH }
    vim.hl.range(bufnr, namespace, 'ClaudeChatFollowed', { row, 0 }, { stop, 0 }, options)
  end
end

-- A file that is not text is not loaded, and one that a plugin reads in place of Neovim is not either.
---@return string? path absolute
---@return string? refusal
local function checked(path)
  local absolute, refusal = file_path.text_file(path)
  if not absolute then
    return nil, refusal
  elseif file_path.is_binary(absolute) then
    return nil, 'it is not a text file'
  end
  return absolute
end

-- The window comes first: without one, no buffer is created.
---@return integer? win
---@return integer|string bufnr or why there is none
---@return boolean? was_shown whether the window already showed it
local function shown(path)
  local known = buffers.find(path)
  local win = open_files.to_show(known and known.bufnr or -1)
  if not win then
    return nil, 'no window can show it'
  end
  local bufnr, refusal = file_load.add(path)
  if not bufnr then
    return nil, refusal or ''
  end
  vim.bo[bufnr].buflisted = true
  if api.nvim_win_get_buf(win) == bufnr then
    return win, bufnr, true
  end
  local _, err = file_load.in_window(win, bufnr)
  return not err and win or nil, err or bufnr
end

---@return string? refusal
local function follow(id, path, first, last)
  local refusal = obstacle(chat_state.get(id))
  if refusal then
    return refusal
  end
  local absolute, unreadable = checked(path)
  if not absolute then
    return unreadable
  end
  local win, bufnr, was_shown = shown(absolute)
  if not win or type(bufnr) == 'string' then
    return bufnr --[[@as string]]
  end
  -- The agent may just have written it.
  reload.sync_one(bufnr)
  if first > 0 then
    go_to(win, bufnr, first, last, was_shown)
  end
end

--- Show a file that the agent of a chat has read or edited. The focus and the user's mode stay as they
--- are. If the user is elsewhere, or a window cannot show the file, nothing happens.
---@param id integer chat
---@param path string absolute
---@param first integer the line to go to; 0 for none
---@param last integer the last changed line; 0 if none has changed
---@return string refusal why it is not shown, or ''
function M.show(id, path, first, last)
  local ok, refusal = pcall(follow, id, path, first, last)
  return ok and (refusal or '') or reason.of(refusal)
end

return M
