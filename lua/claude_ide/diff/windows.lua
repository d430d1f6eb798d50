--- The windows of a diff: two of them, the file on the left (or above) and the proposal on the right (below);
--- one, or those of a function of the user's. Whatever opens them notes what it has opened and what it has
--- used; `close` undoes both.
local borrowed_buffer = require('claude_ide.file.borrowed_buffer')
local buffers = require('claude_ide.file.buffers')
local decision = require('claude_ide.diff.decision')
local location = require('claude_ide.window.location')
local looks = require('claude_ide.window.looks')
local tiling = require('claude_ide.window.tiling')
local visit = require('claude_ide.window.visit')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

local LEAST_WIDTH = 40
local MOST_FOLDED_BYTES = 2000000
-- What `:diffoff` does not restore, after our 'winbar' and `:diffthis`.
local OPTIONS = { 'winbar', 'diff', 'foldenable' }

--- Filled in step by step, so that an error in between leaves a record of the windows to close.
---@class claude_ide.DiffView: claude_ide.Visit
---@field bufnr integer the proposal
---@field diff claude_ide.Diff
---@field opened integer[] those that close with the diff
---@field used claude_ide.BorrowedWindow[] those in which it shows something, as they were before
---@field left? integer
---@field right? integer the window with the proposal; it is also the left one of an inline diff
---@field original? integer the buffer on the left
---@field unsaved? integer the file's own buffer, if the left window shows the file on disk instead
---@field lacks_lines? boolean whether the diagnostics on the left are hidden, which were virtual lines
---@field are_large? boolean whether the texts are so large that there are no folds
---@field group? integer the autocommands that follow the window of an inline diff
---@field added integer[] the buffers that the user's function has added
---@field is_inline? boolean

---@class claude_ide.BorrowedWindow
---@field win integer
---@field bufnr integer
---@field options table<string, any>
---@field view vim.fn.winsaveview.ret
---@field folds string[] commands that make them
---@field alternate integer the alternate file
---@field last_jump integer[] the mark '

--- Show a buffer without a jump.
---@type fun(win: integer, bufnr: integer)
function M.show(win, bufnr)
  api.nvim_win_call(win, function()
    vim.cmd.buffer({ bufnr, bang = true, mods = { keepjumps = true } })
  end)
  if api.nvim_win_get_buf(win) ~= bufnr then
    error('an autocommand opened something else', 0)
  end
end

-- The commands that make the folds of the current window, taken from the script that `:mkview` writes.
-- The rest of the script loads files, sets options and runs autocommands.
local function fold_commands()
  local name, viewoptions = vim.fn.tempname(), vim.o.viewoptions
  vim.o.viewoptions = 'folds'
  local script = pcall(vim.cmd.mkview, name) and vim.fn.readfile(name) or {}
  vim.o.viewoptions = viewoptions
  os.remove(name)
  local commands = {}
  for _, line in ipairs(script) do
    if vim.startswith(line, 'setlocal ') then
      commands = {}
    elseif vim.startswith(line, 'let &g:so') then
      return commands
    else
      table.insert(commands, line)
    end
  end
  return {}
end

--- Snapshot a window, for `give_back`.
---@type fun(win: integer): claude_ide.BorrowedWindow
function M.borrow(win)
  return api.nvim_win_call(win, function()
    return {
      win = win,
      bufnr = api.nvim_win_get_buf(win),
      options = looks.read(win, OPTIONS),
      view = vim.fn.winsaveview(),
      folds = fold_commands(),
      alternate = vim.fn.bufnr('#'),
      last_jump = vim.fn.getpos("''"),
    }
  end)
end

--- End diff mode in a window and restore its state; folds and view only if it shows the same buffer.
---@param window claude_ide.BorrowedWindow
function M.give_back(window)
  local win = window.win
  if not api.nvim_win_is_valid(win) then
    return
  end
  api.nvim_win_call(win, vim.cmd.diffoff)
  looks.set(win, window.options)
  if api.nvim_win_get_buf(win) == window.bufnr then
    api.nvim_win_call(win, function()
      for _, command in ipairs(window.folds) do
        vim.cmd('silent! keepjumps ' .. command)
      end
      vim.fn.winrestview(window.view)
    end)
  end
end

-- The buffer to compare, if it is not the file on disk. The user may have unloaded it meanwhile.
local function buffer_of(diff)
  return diff.original or diff.is_unsaved and buffers.loaded(diff.path) or nil
end

--- Load the text to compare into a window.
---@type fun(view: claude_ide.DiffView, win: integer)
function M.load(view, win)
  local diff = view.diff
  view.original, view.unsaved = borrowed_buffer.borrow(diff.path, win, buffer_of(diff))
  if view.unsaved then
    decision.set_filetype(view.original, diff, view.unsaved)
  end
end

--- Show the text to compare in the left window, and snapshot that.
---@param view claude_ide.DiffView
---@param win integer
---@param is_ours? boolean whether the diff has opened it
function M.show_original(view, win, is_ours)
  view.left = win
  if is_ours then
    table.insert(view.opened, win)
    -- CTRL-O out of the proposal would reject it.
    api.nvim_win_call(win, vim.cmd.clearjumps)
  end
  M.load(view, win)
  table.insert(view.used, M.borrow(win))
end

-- The windows of the tab page, the current and the previous one first.
local function candidates()
  local wins = { api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr('#')) }
  return vim.tbl_filter(tiling.has, vim.list_extend(wins, api.nvim_tabpage_list_wins(0)))
end

--- A window of the tab page that shows the buffer to compare, preferably the current one. None if the
--- buffer has unsaved changes: then it is not the buffer that is compared.
---@param diff claude_ide.Diff
---@return integer? win
function M.window_of(diff)
  local bufnr = buffer_of(diff)
  if not bufnr and not borrowed_buffer.unsaved(diff.path) then
    bufnr = (buffers.find(diff.path) or {}).bufnr
  end
  return bufnr
    and vim.iter(candidates()):find(function(win)
      return api.nvim_win_get_buf(win) == bufnr
    end)
end

local function blank_window(config)
  local blank = api.nvim_create_buf(false, true)
  vim.bo[blank].bufhidden = 'wipe'
  local ok, win = pcall(api.nvim_open_win, blank, false, config)
  if not ok then
    window_close.buffer(blank)
    error(win, 0)
  end
  return win
end

-- Split the window of the file, else the first that holds a file.
local function open_split(view)
  local diff = view.diff
  local own, is_vertical, wins = M.window_of(diff), diff.layout == 'vertical', candidates()
  local base = own
    or vim.iter(wins):find(function(win)
      return vim.bo[api.nvim_win_get_buf(win)].buftype == ''
    end)
    or wins[1]
  -- Lines cannot be compared in narrower halves.
  if is_vertical and api.nvim_win_get_width(base) < 2 * LEAST_WIDTH + 1 then
    error('not enough room', 0)
  end
  local config = { split = is_vertical and 'above' or 'right', win = base }
  M.show_original(view, own or blank_window(config), not own)
end

--- Open a tab page whose only window, the left one, shows the text to compare.
---@param view claude_ide.DiffView
function M.open_tab(view)
  local wins = candidates()
  -- Without the focus it opens behind the user's tab page.
  local win = view.diff.focus and visit.new_tabpage(view)
    or location.stay(view.origin, function()
      return visit.new_tabpage(view)
    end)
  looks.adopt(win, wins)
  M.show_original(view, win, true)
  local twin = looks.twin(win)
  if twin then
    looks.copy(win, twin)
  end
end

local function open_right(view)
  local diff = view.diff
  decision.match_file(diff, view.unsaved or view.original)
  view.right = api.nvim_open_win(diff.bufnr, false, {
    split = diff.layout == 'horizontal' and 'below' or 'right',
    win = view.left,
  })
  table.insert(view.opened, view.right)
  api.nvim_win_call(view.right, vim.cmd.clearjumps)
  -- Otherwise the lines of the two windows would not line up.
  looks.copy(view.right, view.left)
end

local function is_large(bufnr)
  return api.nvim_buf_get_offset(bufnr, api.nvim_buf_line_count(bufnr)) > MOST_FOLDED_BYTES
end

-- Call a function in each of the windows that still exist.
local function each(wins, fn)
  for _, win in ipairs(vim.tbl_filter(api.nvim_win_is_valid, wins)) do
    api.nvim_win_call(win, fn)
  end
end

-- For each line of a fold Neovim walks all changes: it makes no folds with a large context.
local function diff_without_folds(wins)
  local diffopt = vim.o.diffopt
  vim.o.diffopt = diffopt .. ',context:99999999'
  local ok, reason = pcall(each, wins, vim.cmd.diffthis)
  for _, win in ipairs(wins) do
    vim.wo[win][0].foldmethod = 'manual'
  end
  vim.o.diffopt = diffopt
  if not ok then
    error(reason, 0)
  end
end

-- Diagnostics that are virtual lines take rows: the two sides would no longer line up.
local function hide_diagnostics(view)
  local filter = { bufnr = view.original }
  local lines = vim.tbl_get(vim.diagnostic.config() or {}, 'virtual_lines')
  if lines and vim.diagnostic.is_enabled(filter) then
    view.lacks_lines = true
    vim.diagnostic.enable(false, filter)
  end
end

local function compare(view)
  local wins = { view.left, view.right }
  hide_diagnostics(view)
  if view.diff.focus then
    api.nvim_set_current_win(view.right)
  end
  view.are_large = is_large(view.original) or is_large(view.bufnr)
  if view.are_large then
    diff_without_folds(wins)
  else
    each(wins, vim.cmd.diffthis)
  end
  each({ view.right }, function()
    if vim.fn.diff_hlID(1, 1) == 0 and vim.fn.diff_filler(1) == 0 then
      vim.cmd('silent! keepjumps normal! ]c')
    end
  end)
end

--- Whether a window of the tab page is in diff mode. That compares all of them: a second diff there would
--- mix with the first.
---@return boolean
function M.has_diff()
  return vim.iter(api.nvim_tabpage_list_wins(0)):any(function(win)
    return vim.wo[win].diff
  end)
end

local function is_empty(bufnr)
  local options = vim.bo[bufnr]
  return api.nvim_buf_get_name(bufnr) == '' and options.buftype == '' and not options.modified
end

-- Whether a buffer is the empty, newer one that `:enew` puts into the window of a proposal.
local function is_blank(bufnr, proposed)
  return bufnr > proposed and is_empty(bufnr) and #vim.fn.win_findbuf(bufnr) == 1
end

-- Whether what the window of a proposal shows instead is nothing of the user's. `CTRL-^`, or a plugin's
-- `:bdelete`, shows the file there.
local function is_unused(view, shown)
  return shown == view.original or shown == view.unsaved or is_blank(shown, view.bufnr)
end

--- Whether a window belongs to a diff.
---@type fun(view: claude_ide.DiffView, win: integer): boolean
function M.has(view, win)
  local shown = api.nvim_win_get_buf(win)
  if shown == view.bufnr then
    return true
  elseif win == view.right then
    return is_unused(view, shown)
  end
  return win == view.left or vim.list_contains(view.opened, win)
end

-- Put a user's buffer back into its window, unless the user has put another one there.
local function show_again(view, window)
  local win, alternate = window.win, window.alternate
  local shown = api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win)
  local is_left = shown and (shown == view.bufnr or is_unused(view, shown))
  if not is_left or vim.list_contains(view.opened, win) then
    return
  elseif shown ~= window.bufnr and api.nvim_buf_is_valid(window.bufnr) then
    M.show(win, window.bufnr)
  elseif win ~= view.right then
    return
  end
  api.nvim_win_call(win, function()
    vim.fn.setpos("''", window.last_jump)
    if vim.fn.bufnr('#') ~= alternate and api.nvim_buf_is_valid(alternate) then
      vim.fn.setreg('#', alternate)
    end
  end)
end

--- Wipe out those of the buffers that are empty and that no window shows: `:tabnew` and `:new` leave one when
--- another buffer takes its place.
---@param bufnrs integer[]
function M.remove_blanks(bufnrs)
  for _, bufnr in ipairs(bufnrs) do
    if api.nvim_buf_is_loaded(bufnr) and is_empty(bufnr) and #vim.fn.win_findbuf(bufnr) == 0 then
      window_close.buffer(bufnr)
    end
  end
end

--- Close the windows that were opened, wipe out the proposal, and restore the windows that were used.
---@param view claude_ide.DiffView
---@param keeps_proposal? boolean it will be shown in another way
function M.close(view, keeps_proposal)
  local ours = vim.tbl_filter(function(win)
    return api.nvim_win_is_valid(win) and M.has(view, win)
  end, view.opened)
  local right = view.right
  local last = right and api.nvim_win_is_valid(right) and api.nvim_win_get_buf(right)
  local blank = last and is_blank(last, view.bufnr) and last
  if view.group then
    api.nvim_del_augroup_by_id(view.group)
  end
  for _, window in ipairs(view.used) do
    show_again(view, window)
    each({ window.win }, vim.cmd.diffoff)
  end
  each(ours, vim.cmd.diffoff)
  for _, gone in ipairs({ not keeps_proposal and view.bufnr or nil, blank or nil }) do
    window_close.buffer(gone)
  end
  for _, win in ipairs(ours) do
    if win ~= view.left then
      window_close.window(win)
    end
  end
  -- Even a window of ours: the buffer's next window inherits the options of its last one.
  vim.iter(view.used):each(M.give_back)
  vim.iter(ours):each(window_close.window)
  M.remove_blanks(view.added)
  if view.lacks_lines and api.nvim_buf_is_loaded(view.original) then
    vim.diagnostic.enable(true, { bufnr = view.original })
  end
  if view.original then
    borrowed_buffer.give_back(view.original)
  end
  view.opened, view.used, view.added = {}, {}, {}
  view.left, view.right, view.original, view.unsaved, view.lacks_lines = nil, nil, nil, nil, nil
end

--- Show a diff, in its own tab page or in splits of the current one.
---@param view claude_ide.DiffView
function M.open(view)
  local is_split = view.diff.layout ~= 'tab' and not M.has_diff()
  if is_split and not pcall(function()
    open_split(view)
    open_right(view)
  end) then
    -- No room: fall back to a tab page.
    M.close(view, true)
    is_split = false
  end
  if not is_split then
    M.open_tab(view)
    open_right(view)
  end
  compare(view)
end

return M
