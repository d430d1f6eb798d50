--- Chooses the window that shows a file: one that holds files, and whose buffer stays as it is.
local recent = require('claude_ide.window.recent')
local tiling = require('claude_ide.window.tiling')

local M = {}

local KEPT = { '', 'hide' }
local NORMAL = { 'n', 'nt' }

local function is_in_diff(win)
  return vim.wo[win].diff
end

local function holds_files(win)
  return tiling.has(win)
    and vim.bo[vim.api.nvim_win_get_buf(win)].buftype == ''
    and not vim.wo[win].previewwindow
    and not is_in_diff(win)
end

-- Whether the buffer in `win` keeps its state when the window shows another one.
local function can_be_left(win)
  local bufnr = vim.api.nvim_win_get_buf(win)
  if #vim.fn.win_findbuf(bufnr) > 1 then
    return true
  end
  local bufhidden = vim.bo[bufnr].bufhidden
  return vim.list_contains(KEPT, bufhidden)
    and (vim.o.hidden or bufhidden == 'hide' or not vim.bo[bufnr].modified)
end

local function is_suitable(win)
  return holds_files(win) and not vim.wo[win].winfixbuf and can_be_left(win)
end

-- The windows of a tabpage, the most recently used one first.
local function windows(tabpage)
  local wins = tiling.windows(tabpage)
  local rank = {}
  for position, bufnr in ipairs(recent.sort(vim.tbl_map(vim.api.nvim_win_get_buf, wins))) do
    rank[bufnr] = rank[bufnr] or position
  end
  local current = vim.api.nvim_tabpage_get_win(tabpage)
  local function rank_of(win)
    return win == current and 0 or rank[vim.api.nvim_win_get_buf(win)]
  end
  table.sort(wins, function(a, b)
    return rank_of(a) < rank_of(b) or (rank_of(a) == rank_of(b) and a < b)
  end)
  return wins
end

-- Tabpages in the order of the search: the current one, the previous one, the others.
local function tabpages()
  local all = vim.api.nvim_list_tabpages()
  local order = { vim.api.nvim_get_current_tabpage(), all[vim.fn.tabpagenr('#')] }
  for _, tabpage in ipairs(all) do
    if not vim.list_contains(order, tabpage) then
      table.insert(order, tabpage)
    end
  end
  return order
end

local function shows(bufnr)
  return function(win)
    return vim.api.nvim_win_get_buf(win) == bufnr and holds_files(win)
  end
end

local function area(win)
  return vim.api.nvim_win_get_width(win) * vim.api.nvim_win_get_height(win)
end

local function new_tabpage(bufnr)
  vim.cmd(('silent tab sbuffer %d'):format(bufnr))
  return vim.api.nvim_get_current_win()
end

-- Split above the largest window, or open a new tabpage if there is no room.
local function split(bufnr)
  local wins = windows(0)
  table.sort(wins, function(a, b)
    return area(a) > area(b)
  end)
  local ok, win = pcall(vim.api.nvim_open_win, bufnr, false, { split = 'above', win = wins[1] })
  return ok and win or new_tabpage(bufnr)
end

-- An empty buffer that disappears once its window shows another one.
local function blank()
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  return bufnr
end

local function find(order, is_wanted)
  for _, tabpage in ipairs(order) do
    local win = vim.iter(windows(tabpage)):find(is_wanted)
    if win then
      return win
    end
  end
end

--- Whether the focus may move to another window: the user is not typing, nor in the middle of a command.
---@return boolean
function M.is_user_free()
  return vim.fn.mode(1):find('^[tvV\22]$') ~= nil or vim.list_contains(NORMAL, vim.fn.mode(1))
end

--- The window that is to show a buffer and get the focus: one that already shows it if there is one.
---@param bufnr integer
---@return integer win in any tabpage
function M.to_enter(bufnr)
  local order = tabpages()
  local win = find(order, shows(bufnr)) or find({ order[1] }, is_suitable)
  if win then
    return win
  elseif not vim.iter(windows(0)):any(is_in_diff) then
    return split(blank())
  end
  -- A split in this tabpage would resize the diff.
  return find(order, is_suitable) or new_tabpage(blank())
end

--- A window that can show a buffer while the user keeps working in another one.
---@param bufnr integer
---@return integer? win in the current tabpage
function M.to_show(bufnr)
  local here = vim.api.nvim_get_current_win()
  local wins = windows(0)
  return vim.iter(wins):find(shows(bufnr))
    or vim.iter(wins):find(function(win)
      return win ~= here and is_suitable(win)
    end)
end

return M
