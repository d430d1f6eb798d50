--- The one window of an inline diff: that of the file itself, or one in a tab page of its own.
local autocommands = require('claude_ide.messages.autocommands')
local borrowed_buffer = require('claude_ide.file.borrowed_buffer')
local decision = require('claude_ide.diff.decision')
local diff_windows = require('claude_ide.diff.windows')
local looks = require('claude_ide.window.looks')
local visit = require('claude_ide.window.visit')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

-- The file's window; nil if another buffer cannot or should not appear there.
local function own_window(diff)
  local win = diff_windows.window_of(diff)
  local is_unfit = win
    and (vim.wo[win].winfixbuf or not diff.focus and win == api.nvim_get_current_win())
  if diff_windows.has_diff() or is_unfit then
    return nil
  end
  return win
end

-- A window with the file next to that of the proposal, which gets its room. Nil without room for one.
local function split(view)
  local equalalways = vim.o.equalalways
  vim.o.equalalways = false
  local is_wide = api.nvim_win_get_width(view.left) > 2 * vim.o.winminwidth + 1
  local ok, win = pcall(api.nvim_open_win, view.original, false, {
    split = is_wide and 'right' or 'below',
    win = view.left,
    noautocmd = true,
  })
  vim.o.equalalways = equalalways
  return ok and win or nil
end

-- Keep the place of the file's window if the user closes it because a proposal is in it. `:q` there means the
-- proposal, not the window: Neovim closes the window, and another one with the file takes its place.
local function keep_place(view)
  local bufnr, win, stand_in = view.bufnr, view.left, nil
  local function is_users()
    return api.nvim_get_current_win() == win and api.nvim_win_get_buf(win) == bufnr
  end
  local on, group = autocommands.group('claude_ide_diff_inline_' .. bufnr)
  view.group = group
  -- Neovim quits if its last window is closed.
  on('QuitPre', nil, function()
    if not (is_users() and window_close.is_last(win)) then
      return
    end
    stand_in = stand_in or split(view)
    -- Unsaved changes elsewhere may keep Neovim from closing anything.
    vim.schedule(function()
      if stand_in and view.left == win then
        window_close.window(stand_in)
        stand_in = nil
      end
    end)
  end)
  on('WinClosed', tostring(win), function()
    local found = stand_in or is_users() and split(view)
    if found then
      view.left, view.right, view.used[1].win = found, found, found
      visit.replace_window(win, found)
    end
  end)
end

local function show_proposal(view)
  local win, diff = view.left, view.diff
  borrowed_buffer.hide(view.original)
  local seen = looks.read(win)
  seen.wrap, seen.foldenable = vim.wo[win].wrap, false
  decision.match_file(diff, view.unsaved or view.original)
  diff_windows.show(win, diff.bufnr)
  looks.set(win, seen)
  view.right = win
end

--- Show a proposal in place of its file, or in its own tab page if no window shows the file.
---@param view claude_ide.DiffView
function M.open(view)
  local win = own_window(view.diff)
  if win then
    diff_windows.show_original(view, win)
  else
    diff_windows.open_tab(view)
  end
  show_proposal(view)
  if win then
    keep_place(view)
  end
  if view.diff.focus then
    api.nvim_set_current_win(view.right)
  end
end

return M
