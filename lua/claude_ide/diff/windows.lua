--- The two windows of a diff: the file on the left (or above), the proposal on the right (below); and the
--- state of the user's windows before a diff uses them.
local borrowed_buffer = require('claude_ide.file.borrowed_buffer')
local buffers = require('claude_ide.file.buffers')
local decision = require('claude_ide.diff.decision')
local looks = require('claude_ide.window.looks')
local tiling = require('claude_ide.window.tiling')
local window_close = require('claude_ide.window.close')

local M = {}

local LEAST_WIDTH = 40
local MOST_FOLDED_BYTES = 2000000
-- `:diffthis` sets all of them but 'winbar', which is ours.
local OPTIONS = {
  'winbar',
  'diff',
  'scrollbind',
  'cursorbind',
  'wrap',
  'foldmethod',
  'foldcolumn',
  'foldlevel',
  'foldenable',
}

--- Filled in step by step, so that an error in between leaves a record of the windows to close.
---@class claude_ide.DiffWindows
---@field left? integer
---@field was_open? boolean whether the left window is the user's own
---@field right? integer
---@field original? integer the buffer on the left
---@field unsaved? integer the file's own buffer, if the left window shows the file on disk instead
---@field borrowed? claude_ide.BorrowedWindow the left window's state before the diff
---@field lacks_lines? boolean whether the diagnostics on the left are hidden, which were virtual lines
---@field are_large? boolean whether the texts are so large that there are no folds
---@field opened? integer[] the windows that the user's function has opened
---@field used? claude_ide.BorrowedWindow[] the windows that it has used, as they were before
---@field added? integer[] the buffers that it has added
---@field memory? claude_ide.WindowMemory of the file's window in which an inline diff is
---@field stand_in? integer the window that takes the place of the file's, in which an inline diff was closed

---@class claude_ide.BorrowedWindow
---@field win integer
---@field bufnr integer
---@field options table<string, any>
---@field view vim.fn.winsaveview.ret
---@field folds string[] commands that make them

local function call(win, fn)
  if vim.api.nvim_win_is_valid(win) then
    vim.api.nvim_win_call(win, fn)
  end
end

-- CTRL-O out of the proposal would reject it.
local function forget_jumps(win)
  vim.api.nvim_win_call(win, vim.cmd.clearjumps)
end

-- The commands that make the folds of the current window, taken from the script that `:mkview` writes.
-- The rest of the script loads files, sets options and runs autocommands.
local function fold_commands()
  local name = vim.fn.tempname()
  local viewoptions = vim.o.viewoptions
  vim.o.viewoptions = 'folds'
  local ok, err = pcall(vim.cmd.mkview, name)
  vim.o.viewoptions = viewoptions
  local script = ok and vim.fn.readfile(name) or {}
  os.remove(name)
  if not ok then
    error(err, 0)
  end
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
---@param win integer
---@return claude_ide.BorrowedWindow
function M.borrow(win)
  return {
    win = win,
    bufnr = vim.api.nvim_win_get_buf(win),
    options = looks.read(win, OPTIONS),
    view = vim.api.nvim_win_call(win, vim.fn.winsaveview),
    folds = vim.api.nvim_win_call(win, fold_commands),
  }
end

--- End diff mode in a window and restore its state; folds and view only if it shows the same buffer.
---@param window claude_ide.BorrowedWindow
function M.give_back(window)
  if vim.api.nvim_win_is_valid(window.win) then
    vim.api.nvim_win_call(window.win, vim.cmd.diffoff)
    looks.set(window.win, window.options)
    if vim.api.nvim_win_get_buf(window.win) == window.bufnr then
      vim.api.nvim_win_call(window.win, function()
        for _, command in ipairs(window.folds) do
          vim.cmd('silent! keepjumps ' .. command)
        end
        vim.fn.winrestview(window.view)
      end)
    end
  end
end

--- The buffer to compare, if it is not the file on disk. The user may have unloaded it meanwhile.
---@param diff claude_ide.Diff
---@return integer? bufnr
function M.buffer_of(diff)
  return diff.original or diff.is_unsaved and buffers.loaded(diff.path) or nil
end

--- Show the text to compare in the left window, and snapshot that.
---@param windows claude_ide.DiffWindows
---@param diff claude_ide.Diff
function M.show_original(windows, diff)
  local own = M.buffer_of(diff)
  windows.original, windows.unsaved = borrowed_buffer.borrow(diff.path, windows.left, own)
  if windows.unsaved then
    decision.set_filetype(windows.original, diff, windows.unsaved)
  end
  windows.borrowed = M.borrow(windows.left)
end

--- A window of the tab page that shows the buffer to compare, preferably the current one. None if the
--- buffer has unsaved changes: then it is not the buffer that is compared.
---@param diff claude_ide.Diff
---@return integer? win
function M.window_of(diff)
  local own = M.buffer_of(diff)
  local found = own and { bufnr = own } or buffers.find(diff.path)
  if not own and borrowed_buffer.unsaved(diff.path) then
    return nil
  end
  local wins = vim.api.nvim_tabpage_list_wins(0)
  table.insert(wins, 1, vim.api.nvim_get_current_win())
  return found
    and vim.iter(wins):find(function(win)
      return tiling.has(win) and vim.api.nvim_win_get_buf(win) == found.bufnr
    end)
end

-- The window to split: the first that holds a file, starting with the current and the previous one.
local function base_window()
  local wins = { vim.api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr('#')) }
  vim.list_extend(wins, vim.api.nvim_tabpage_list_wins(0))
  wins = vim.tbl_filter(tiling.has, wins)
  return vim.iter(wins):find(function(win)
    return vim.bo[vim.api.nvim_win_get_buf(win)].buftype == ''
  end) or wins[1]
end

local function blank_window(config)
  local blank = vim.api.nvim_create_buf(false, true)
  vim.bo[blank].bufhidden = 'wipe'
  local ok, win = pcall(vim.api.nvim_open_win, blank, false, config)
  if not ok then
    window_close.buffer(blank)
    error(win, 0)
  end
  return win
end

-- Lines cannot be compared in narrower halves.
local function check_width(diff, win)
  local room = diff.layout == 'vertical' and 2 * LEAST_WIDTH + 1 or 0
  if vim.api.nvim_win_get_width(win) < room then
    error('not enough room', 0)
  end
end

local function open_split(windows, diff)
  local own = M.window_of(diff)
  check_width(diff, own or base_window())
  if own then
    windows.left, windows.was_open = own, true
    return M.show_original(windows, diff)
  end
  windows.left = blank_window({
    split = diff.layout == 'vertical' and 'above' or 'right',
    win = base_window(),
  })
  forget_jumps(windows.left)
  M.show_original(windows, diff)
end

--- Open a tab page whose only window, the left one, shows the text to compare.
---@param windows claude_ide.DiffWindows
---@param diff claude_ide.Diff
---@param new_tabpage fun(): integer opens a tab page and returns its window
function M.open_tab(windows, diff, new_tabpage)
  local candidates = { vim.api.nvim_get_current_win(), unpack(vim.api.nvim_tabpage_list_wins(0)) }
  windows.left = new_tabpage()
  forget_jumps(windows.left)
  looks.adopt(windows.left, candidates)
  M.show_original(windows, diff)
  local twin = looks.twin(windows.left)
  if twin then
    looks.copy(windows.left, twin)
  end
end

local function open_right(windows, diff)
  decision.match_file(diff, windows.unsaved or windows.original)
  windows.right = vim.api.nvim_open_win(diff.bufnr, false, {
    split = diff.layout == 'horizontal' and 'below' or 'right',
    win = windows.left,
  })
  forget_jumps(windows.right)
  -- Otherwise the lines of the two windows would not line up.
  looks.copy(windows.right, windows.left)
end

local function is_large(bufnr)
  local size = vim.api.nvim_buf_get_offset(bufnr, vim.api.nvim_buf_line_count(bufnr))
  return size > MOST_FOLDED_BYTES
end

local function diff_both(windows)
  call(windows.left, vim.cmd.diffthis)
  call(windows.right, vim.cmd.diffthis)
end

-- For each line of a fold Neovim walks all changes: it makes no folds with a large context.
local function diff_without_folds(windows)
  local diffopt = vim.o.diffopt
  vim.o.diffopt = diffopt .. ',context:99999999'
  local ok, reason = pcall(diff_both, windows)
  for _, win in ipairs({ windows.left, windows.right }) do
    vim.wo[win][0].foldmethod = 'manual'
  end
  vim.o.diffopt = diffopt
  if not ok then
    error(reason, 0)
  end
end

-- Diagnostics that are virtual lines take rows: the two sides would no longer line up.
local function hide_diagnostics(windows)
  local filter = { bufnr = windows.original }
  local lines = vim.tbl_get(vim.diagnostic.config() or {}, 'virtual_lines')
  if lines and vim.diagnostic.is_enabled(filter) then
    windows.lacks_lines = true
    vim.diagnostic.enable(false, filter)
  end
end

local function compare(windows, has_focus)
  hide_diagnostics(windows)
  if has_focus then
    vim.api.nvim_set_current_win(windows.right)
  end
  windows.are_large = is_large(windows.original)
    or is_large(vim.api.nvim_win_get_buf(windows.right))
  if windows.are_large then
    diff_without_folds(windows)
  else
    diff_both(windows)
  end
  call(windows.right, function()
    if vim.fn.diff_hlID(1, 1) == 0 and vim.fn.diff_filler(1) == 0 then
      vim.cmd('silent! keepjumps normal! ]c')
    end
  end)
end

--- Whether a window of the tab page is in diff mode. That compares all of them: a second diff there would
--- mix with the first.
---@return boolean
function M.has_diff()
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(win)
    return vim.wo[win].diff
  end)
end

--- The empty, newer buffer that `:enew` puts into the window of a proposal.
---@param win? integer
---@param proposed integer
---@return integer? bufnr
function M.blank_buffer(win, proposed)
  local bufnr = win and vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win)
  local is_blank = bufnr
    and bufnr > proposed
    and vim.api.nvim_buf_get_name(bufnr) == ''
    and vim.bo[bufnr].buftype == ''
    and not vim.bo[bufnr].modified
    and #vim.fn.win_findbuf(bufnr) == 1
  return is_blank and bufnr or nil
end

-- `CTRL-^`, or a plugin's `:bdelete`, shows the file in the window of its proposal.
local function shows_original(windows)
  local win = windows.right
  local bufnr = win and vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win)
  return bufnr and (bufnr == windows.original or bufnr == windows.unsaved) or false
end

--- Whether a window belongs to the diff of this proposal.
---@param windows claude_ide.DiffWindows
---@param bufnr integer the proposal
---@param win integer
---@return boolean
function M.has(windows, bufnr, win)
  return win == windows.left
    or vim.api.nvim_win_get_buf(win) == bufnr
    or (win == windows.right and (M.blank_buffer(win, bufnr) ~= nil or shows_original(windows)))
end

local function close_left(windows)
  local win = windows.left
  if windows.borrowed then
    -- Even for a window of ours: the buffer's next window inherits the options of its last one.
    M.give_back(windows.borrowed)
  end
  if not windows.was_open then
    window_close.window(win)
  end
end

local function close(windows)
  if windows.lacks_lines and vim.api.nvim_buf_is_loaded(windows.original) then
    vim.diagnostic.enable(true, { bufnr = windows.original })
  end
  if windows.left then
    close_left(windows)
  end
  if windows.original then
    borrowed_buffer.give_back(windows.original)
  end
  for field in pairs(windows) do
    windows[field] = nil
  end
end

--- Show a diff, in its own tab page or in splits of the current one.
---@param windows claude_ide.DiffWindows empty
---@param diff claude_ide.Diff
---@param new_tabpage fun(): integer opens a tab page and returns its window
function M.open(windows, diff, new_tabpage)
  local is_split = diff.layout ~= 'tab' and not M.has_diff()
  if
    is_split
    and not pcall(function()
      open_split(windows, diff)
      open_right(windows, diff)
    end)
  then
    -- No room: fall back to a tab page.
    close(windows)
    is_split = false
  end
  if not is_split then
    M.open_tab(windows, diff, new_tabpage)
    open_right(windows, diff)
  end
  compare(windows, diff.focus)
end

--- Close the windows that were opened, and wipe out the proposal.
---@param windows claude_ide.DiffWindows
---@param bufnr integer the proposal
function M.close(windows, bufnr)
  if windows.left then
    call(windows.left, vim.cmd.diffoff)
  end
  if shows_original(windows) then
    call(windows.right, vim.cmd.diffoff)
    window_close.window(windows.right)
  end
  for _, gone in ipairs({ bufnr, M.blank_buffer(windows.right, bufnr) }) do
    window_close.buffer(gone)
  end
  close(windows)
end

return M
