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
local HEAD_BYTES = 8000 -- that are searched for a NUL

local namespace = api.nvim_create_namespace('claude_ide_following')

-- Whether a file may appear now; a later one may otherwise.
local function is_welcome(chat)
  return chat.view ~= nil
    and chat_windows.has(chat.view, api.nvim_get_current_win())
    and chat.requests == 0
    and #diff.list() == 0
    and not review_list.is_shown()
    and moment.is_harmless()
    and vim.fn.pumvisible() == 0
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

-- Raises why it is not shown. A file that is not text is not loaded, and one that a plugin reads in place of
-- Neovim is not either.
local function follow(chat, path, first, last)
  assert(is_welcome(chat), 'the user is elsewhere, or busy')
  local absolute = assert(file_path.existing(path, true))
  assert(not vim.fn.readblob(absolute, 0, HEAD_BYTES):find('\0', 1, true), 'it is not a text file')
  -- The window comes first: without one, no buffer is created.
  local known = buffers.find(absolute)
  local win = assert(open_files.to_show(known and known.bufnr or -1), 'no window can show it')
  local bufnr = assert(file_load.add(absolute))
  vim.bo[bufnr].buflisted = true
  local was_shown = api.nvim_win_get_buf(win) == bufnr
  if not was_shown then
    local _, err = file_load.in_window(win, bufnr)
    assert(not err, err)
  end
  -- The agent may just have written it.
  reload.sync_one(bufnr)
  if first > 0 then
    go_to(win, bufnr, first, last, was_shown)
  end
end

--- Show a file that the agent of a chat has read or edited: `first` is the line to go to and `last` the last
--- changed one, or 0. The focus and the user's mode stay as they are. If the user is elsewhere, or a window
--- cannot show the file, nothing happens; then return why.
---@type fun(id: integer, path: string, first: integer, last: integer): string
M.show = chat_state.of_id(function(...)
  local ok, refusal = pcall(follow, ...)
  return ok and '' or reason.of(refusal)
end, 'the chat is closed')

return M
