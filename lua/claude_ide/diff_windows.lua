--- The two windows of a diff: the file on the left (or above), the proposal on the right (below).
local borrowed_buffer = require('claude_ide.borrowed_buffer')
local borrowed_window = require('claude_ide.borrowed_window')
local buffers = require('claude_ide.buffers')

local M = {}

--- Filled in while the windows are made, so that those made before an error can be closed.
---@class claude_ide.DiffWindows
---@field tabpage? integer when they have one of their own
---@field left? integer
---@field right? integer
---@field original? integer the buffer on the left
---@field view? vim.fn.winsaveview.ret of the left window, when it is ours
---@field borrowed? claude_ide.BorrowedWindow the left window, when it is the user's

local function is_normal(win)
  return vim.api.nvim_win_get_config(win).relative == ''
end

local function call(win, fn)
  if vim.api.nvim_win_is_valid(win) then
    vim.api.nvim_win_call(win, fn)
  end
end

-- Take away what a new window took over from the one that it was made from.
local function neutral(win)
  local options = vim.wo[win]
  options.winfixbuf = false
  options.winfixwidth = false
  options.winfixheight = false
  options.winhighlight = ''
  -- CTRL-O out of the proposal would reject it.
  vim.api.nvim_win_call(win, vim.cmd.clearjumps)
end

local function show_original(windows, path)
  windows.original = borrowed_buffer.take(path, function(bufnr)
    vim.api.nvim_win_set_buf(windows.left, bufnr)
  end)
  windows.view = vim.api.nvim_win_call(windows.left, vim.fn.winsaveview)
end

-- A window that shows the file: the current one if it does.
local function window_of(path)
  local found = buffers.find(path)
  local wins = vim.api.nvim_tabpage_list_wins(0)
  table.insert(wins, 1, vim.api.nvim_get_current_win())
  return found
    and vim.iter(wins):find(function(win)
      return is_normal(win) and vim.api.nvim_win_get_buf(win) == found.bufnr
    end)
end

-- A window to split: the current or the previous one, or the first, that holds a file.
local function base_window()
  local wins = { vim.api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr('#')) }
  vim.list_extend(wins, vim.api.nvim_tabpage_list_wins(0))
  wins = vim.tbl_filter(is_normal, wins)
  return vim.iter(wins):find(function(win)
    return vim.bo[vim.api.nvim_win_get_buf(win)].buftype == ''
  end) or wins[1]
end

local function open_split(windows, diff)
  local own = window_of(diff.path)
  if own then
    windows.borrowed = borrowed_window.take(own)
    windows.left = own
    windows.original = borrowed_buffer.take(diff.path, function() end)
    return
  end
  local blank = vim.api.nvim_create_buf(false, true)
  vim.bo[blank].bufhidden = 'wipe'
  windows.left = vim.api.nvim_open_win(blank, false, {
    split = diff.layout == 'vertical' and 'above' or 'right',
    win = base_window(),
  })
  neutral(windows.left)
  show_original(windows, diff.path)
end

local function open_tab(windows, diff)
  vim.cmd.tabnew()
  windows.tabpage = vim.api.nvim_get_current_tabpage()
  windows.left = vim.api.nvim_get_current_win()
  vim.bo.bufhidden = 'wipe'
  neutral(windows.left)
  show_original(windows, diff.path)
end

--- Show the file on the left, in a tabpage of its own or beside what the current one shows.
---@param windows claude_ide.DiffWindows
---@param diff claude_ide.Diff
function M.open_left(windows, diff)
  -- Diff mode joins all windows of a tabpage that are in it.
  local has_diff = vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(win)
    return vim.wo[win].diff
  end)
  local open = (diff.layout == 'tab' or has_diff) and open_tab or open_split
  open(windows, diff)
end

--- Show the proposal on the right, and compare.
---@param windows claude_ide.DiffWindows
---@param diff claude_ide.Diff
function M.open_right(windows, diff)
  windows.right = vim.api.nvim_open_win(diff.bufnr, false, {
    split = diff.layout == 'horizontal' and 'below' or 'right',
    win = windows.left,
  })
  neutral(windows.right)
  vim.api.nvim_set_current_win(windows.right)
  call(windows.left, vim.cmd.diffthis)
  vim.cmd.diffthis()
  if vim.fn.diff_hlID(1, 1) == 0 and vim.fn.diff_filler(1) == 0 then
    vim.cmd('silent! keepjumps normal! ]c')
  end
end

local function close_left(windows)
  local win = windows.left
  if windows.borrowed then
    return borrowed_window.give_back(windows.borrowed)
  elseif not vim.api.nvim_win_is_valid(win) then
    return
  end
  -- The next window of the buffer takes over what its last one had.
  vim.wo[win][0].winbar = ''
  if windows.view and vim.api.nvim_win_get_buf(win) == windows.original then
    call(win, function()
      vim.fn.winrestview(windows.view)
    end)
  end
  local is_last = #vim.api.nvim_list_tabpages() == 1
    and #vim.tbl_filter(is_normal, vim.api.nvim_tabpage_list_wins(0)) == 1
  if not is_last then
    vim.api.nvim_win_close(win, true)
  elseif vim.bo[vim.api.nvim_win_get_buf(win)].buftype ~= '' then
    vim.cmd.enew()
  end
end

--- Close what was opened, and wipe the proposal out.
---@param windows claude_ide.DiffWindows
---@param proposal integer buffer
function M.close(windows, proposal)
  if windows.left then
    call(windows.left, vim.cmd.diffoff)
  end
  if vim.api.nvim_buf_is_valid(proposal) then
    vim.api.nvim_buf_delete(proposal, { force = true })
  end
  if windows.left then
    close_left(windows)
  end
  if windows.original then
    borrowed_buffer.give_back(windows.original)
  end
end

return M
