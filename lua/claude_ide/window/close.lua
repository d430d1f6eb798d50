--- Closes windows and buffers without crashing Neovim, and keeps its last window open.
local recent = require('claude_ide.window.recent')
local tiling = require('claude_ide.window.tiling')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local api = vim.api

-- Whether a window is the only one of its tab page. Floats do not count: they cannot exist alone.
local function is_alone(win)
  return vim.deep_equal(tiling.windows(api.nvim_win_get_tabpage(win)), { win })
end

--- Whether a window is Neovim's only one.
---@type fun(win: integer): boolean
function M.is_last(win)
  return #api.nvim_list_tabpages() == 1 and is_alone(win)
end

-- Whether a buffer is one that users list: a file, or a text without a name.
local function is_listed(bufnr, has_name)
  return vim.bo[bufnr].buflisted
    and vim.bo[bufnr].buftype == ''
    and (api.nvim_buf_get_name(bufnr) ~= '') == has_name
end

-- An empty buffer like the one that Neovim starts with.
local function blank()
  return vim.iter(api.nvim_list_bufs()):find(function(bufnr)
    return is_listed(bufnr, false) and not vim.bo[bufnr].modified
  end) or api.nvim_create_buf(true, false)
end

--- The buffer that replaces a window's own: its alternate file, else the most recently used file, else
--- an empty buffer.
---@param win integer
---@return integer bufnr
function M.replacement(win)
  local current = api.nvim_win_get_buf(win)
  local files = vim.tbl_filter(function(bufnr)
    return bufnr ~= current and is_listed(bufnr, true)
  end, api.nvim_list_bufs())
  local alternate = api.nvim_win_call(win, function()
    return vim.fn.bufnr('#')
  end)
  return vim.list_contains(files, alternate) and alternate or recent.sort(files)[1] or blank()
end

-- Show another buffer in Neovim's last window. One that shows a file stays as it is.
local function vacate(win)
  if vim.bo[api.nvim_win_get_buf(win)].buftype == '' then
    return
  end
  local bufnr, options = M.replacement(win), vim.wo[win]
  options.winfixbuf, options.winfixheight, options.winfixwidth = false, false, false
  -- Neovim restores the options with which the buffer was last shown.
  api.nvim_win_set_buf(win, bufnr)
end

-- The kind of split that contains a window. Its neighbours in that split get its room.
---@return 'row'|'col'|nil
local function split_of(win, layout, parent)
  if layout[1] == 'leaf' then
    return layout[2] == win and parent or nil
  end
  for _, child in ipairs(layout[2]) do
    local found = split_of(win, child, layout[1])
    if found then
      return found
    end
  end
end

-- With 'equalalways', closing a window would make all others equal in size. An 'eadirection' across
-- the split prevents that.
local function close_tiled(win, force)
  local tabpage = api.nvim_win_get_tabpage(win)
  local layout = vim.fn.winlayout(api.nvim_tabpage_get_number(tabpage))
  local eadirection = vim.o.eadirection
  vim.o.eadirection = split_of(win, layout) == 'col' and 'hor' or 'ver'
  local ok, reason = pcall(api.nvim_win_close, win, force)
  vim.o.eadirection = eadirection
  if not ok then
    error(reason, 0)
  end
end

-- `:tabclose` closes the floats first. Of the events only `TabClosed` occurs.
local function close_tabpage(tabpage, force)
  local number = api.nvim_tabpage_get_number(tabpage)
  local ok, reason = pcall(without_events.run, 'all', function()
    vim.cmd.tabclose({ range = { number }, bang = force })
  end)
  if ok then
    local which = { pattern = tostring(number), modeline = false }
    pcall(api.nvim_exec_autocmds, 'TabClosed', which)
  elseif api.nvim_tabpage_is_valid(tabpage) then
    error(reason, 0)
  end
end

-- Close a window. An error in an autocommand does not matter if the window is closed.
local function close_one(win, force)
  local close = tiling.has(win) and close_tiled or api.nvim_win_close
  local ok, reason = pcall(close, win, force)
  if not ok and api.nvim_win_is_valid(win) then
    error(reason, 0)
  end
end

-- A window that keeps a tab page open while its last window is closed; nil without room for one.
local function keeper(win)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  local config = { split = 'right', win = win, noautocmd = true }
  local ok, kept = pcall(api.nvim_open_win, bufnr, false, config)
  if ok then
    return kept
  end
  api.nvim_buf_delete(bufnr, { force = true })
end

-- Neovim 0.11 crashes when the last tiled window of another tab page is closed while that tab page has
-- floats, even a float that an autocommand opens during the close. So an extra window becomes the last
-- one, and no autocommand runs while that is closed.
local function close_with_tabpage(win, force)
  local tabpage = api.nvim_win_get_tabpage(win)
  local last = keeper(win)
  local ok, reason = pcall(last and close_one or function() end, win, force)
  if not ok then
    pcall(api.nvim_win_close, last, true)
    error(reason, 0)
  end
  for _, float in
    ipairs(api.nvim_tabpage_is_valid(tabpage) and api.nvim_tabpage_list_wins(tabpage) or {})
  do
    -- Closing one float may close others.
    if api.nvim_win_is_valid(float) and not tiling.has(float) then
      pcall(api.nvim_win_close, float, true)
    end
  end
  if api.nvim_tabpage_is_valid(tabpage) then
    close_tabpage(tabpage, force or last ~= nil)
  end
end

--- Close a window if it still exists. Neovim's last window shows a file instead.
---
--- Raises an error when it cannot be closed.
---@param win integer
---@param force? boolean default true; false keeps a window whose unsaved changes would be lost
function M.window(win, force)
  force = force ~= false
  if not api.nvim_win_is_valid(win) then
    return
  elseif M.is_last(win) then
    vacate(win)
  elseif is_alone(win) and api.nvim_win_get_tabpage(win) ~= api.nvim_get_current_tabpage() then
    close_with_tabpage(win, force)
  else
    close_one(win, force)
  end
end

-- Whether the user works in a window. File trees, lists and outlines do not count.
local function is_work(win)
  local bufnr = api.nvim_win_get_buf(win)
  local kind = vim.bo[bufnr].buftype
  return kind == '' or kind == 'terminal' or kind == 'help' or vim.bo[bufnr].modified
end

--- Whether the user works in a tab page, apart from the excepted windows.
---@param tabpage integer
---@param is_excepted fun(win: integer): boolean
---@return boolean
function M.has_work(tabpage, is_excepted)
  return vim.iter(tiling.windows(tabpage)):any(function(win)
    return is_work(win) and not is_excepted(win)
  end)
end

--- Close a tab page that has only sidebars, unless it is the current one.
---@param tabpage integer
function M.deserted_tabpage(tabpage)
  if not api.nvim_tabpage_is_valid(tabpage) or tabpage == api.nvim_get_current_tabpage() then
    return
  end
  local wins = tiling.windows(tabpage)
  if not vim.iter(wins):any(is_work) then
    vim.iter(wins):each(M.window)
  end
end

--- Delete a buffer if it still exists, and close its windows.
---
--- Raises an error when it cannot be deleted.
---@param bufnr integer
---@param options? { force?: boolean, unload?: boolean } force: default true, discards unsaved changes;
---  unload: default false, unloads the buffer instead of deleting it
function M.buffer(bufnr, options)
  options = vim.tbl_extend('force', { force = true }, options or {})
  local tabpage = api.nvim_get_current_tabpage()
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    if api.nvim_win_is_valid(win) and api.nvim_win_get_tabpage(win) ~= tabpage then
      M.window(win, options.force)
    end
  end
  if api.nvim_buf_is_valid(bufnr) then
    local ok, reason = pcall(api.nvim_buf_delete, bufnr, options)
    if not ok and api.nvim_buf_is_loaded(bufnr) then
      error(reason, 0)
    end
  end
end

-- Deleting a buffer would break the quickfix entries that refer to it.
local function is_in_quickfix(bufnr)
  local lists = vim.tbl_map(vim.fn.getloclist, api.nvim_list_wins())
  table.insert(lists, vim.fn.getqflist())
  return vim.iter(lists):any(function(list)
    return vim.iter(list):any(function(entry)
      return entry.bufnr == bufnr
    end)
  end)
end

--- Unload a buffer that was loaded temporarily, and delete it if nothing needs it.
---
--- Raises an error when it has unsaved changes.
---@param bufnr integer
---@param is_known boolean whether the buffer existed before it was loaded
function M.temporary(bufnr, is_known)
  M.buffer(bufnr, { force = false, unload = is_known or is_in_quickfix(bufnr) })
end

return M
