--- Keeps the place of a file's window whose user closes it because a proposal is in it. `:q` there means the
--- proposal, not the window: Neovim closes the window, and another one with the file takes its place.
local visit = require('claude_ide.window.visit')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_diff_stand_in', { clear = true })

---@class claude_ide.StandIn
---@field view claude_ide.DiffView
---@field autocommands integer[]
---@field win? integer the window that takes the place, once Neovim is about to close the other one

-- A window next to the file's own, which gets its room. Nil without room for one.
local function split(view)
  local windows = view.windows
  local equalalways = vim.o.equalalways
  vim.o.equalalways = false
  local is_wide = api.nvim_win_get_width(windows.left) > 2 * vim.o.winminwidth + 1
  local ok, win = pcall(api.nvim_open_win, windows.original, false, {
    split = is_wide and 'right' or 'below',
    win = windows.left,
    noautocmd = true,
  })
  vim.o.equalalways = equalalways
  return ok and win or nil
end

local function other_window(view)
  return vim.iter(vim.fn.win_findbuf(view.bufnr)):find(function(win)
    return win ~= view.windows.left and vim.api.nvim_win_get_config(win).relative == ''
  end)
end

local function close_unneeded(entry)
  local windows = entry.view.windows
  if entry.win and windows.left and windows.left ~= entry.win then
    window_close.window(entry.win)
    entry.win = nil
  end
end

-- Neovim quits if its last window is closed.
local function on_quit(entry)
  local windows = entry.view.windows
  if api.nvim_get_current_win() ~= windows.left or not window_close.is_last(windows.left) then
    return
  end
  entry.win = entry.win or split(entry.view)
  -- Unsaved changes elsewhere may keep Neovim from closing anything.
  vim.schedule(function()
    close_unneeded(entry)
  end)
end

local function on_closed(entry)
  local view, windows = entry.view, entry.view.windows
  local win = windows.left
  local other = other_window(view)
  local is_users = api.nvim_get_current_win() == win and api.nvim_win_get_buf(win) == view.bufnr
  entry.win = entry.win or other or (is_users and split(view)) or nil
  if not entry.win then
    return
  end
  windows.left, windows.right = entry.win, entry.win
  windows.borrowed.win = entry.win
  visit.replace_window(win, entry.win)
  if not other then
    -- The user is back in the file.
    M.forget(entry)
  end
end

---@param view claude_ide.DiffView
---@return claude_ide.StandIn
function M.watch(view)
  local entry = { view = view }
  entry.autocommands = {
    api.nvim_create_autocmd('QuitPre', {
      group = augroup,
      callback = function()
        on_quit(entry)
      end,
    }),
    api.nvim_create_autocmd('WinClosed', {
      group = augroup,
      callback = function(event)
        if tonumber(event.match) == view.windows.left then
          on_closed(entry)
        end
      end,
    }),
  }
  return entry
end

---@param entry claude_ide.StandIn
function M.forget(entry)
  for _, id in ipairs(entry.autocommands) do
    pcall(api.nvim_del_autocmd, id)
  end
  entry.autocommands = {}
end

return M
